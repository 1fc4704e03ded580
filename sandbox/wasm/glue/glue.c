/* Compiled together with what wasm2c made of a module: its runtime, as far as it is not the
 * server's, and the imports of the contract. Nothing in here or in the module needs a library: all
 * code that runs on the guest's stack lies in this object's text, where it may be cut off. */
#include <math.h>
#include <stdarg.h>

#include "bulkhead_module.h"

#undef isnan
#define isnan(x) ((x) != (x))
/* --- what wasm2c takes from the library of mathematics */

/* Beyond these every value is a whole number; NaN does not come here. */
#define WHOLE 4503599627370496.0
#define WHOLEF 8388608.0f

static double bulkhead_trunc(double x) {
  return fabs(x) < WHOLE ? copysign((double)(int64_t)x, x) : x;
}
static float bulkhead_truncf(float x) {
  return fabsf(x) < WHOLEF ? copysignf((float)(int32_t)x, x) : x;
}
static double bulkhead_floor(double x) {
  const double whole = bulkhead_trunc(x);
  return whole > x ? whole - 1 : whole;
}
static float bulkhead_floorf(float x) {
  const float whole = bulkhead_truncf(x);
  return whole > x ? whole - 1 : whole;
}
static double bulkhead_ceil(double x) {
  const double whole = bulkhead_trunc(x);
  return whole < x ? copysign(whole + 1, x) : whole;
}
static float bulkhead_ceilf(float x) {
  const float whole = bulkhead_truncf(x);
  return whole < x ? copysignf(whole + 1, x) : whole;
}
static double bulkhead_nearbyint(double x) {
  const double shift = copysign(WHOLE, x);
  return fabs(x) < WHOLE ? copysign((x + shift) - shift, x) : x;
}
static float bulkhead_nearbyintf(float x) {
  const float shift = copysignf(WHOLEF, x);
  return fabsf(x) < WHOLEF ? copysignf((x + shift) - shift, x) : x;
}

#define floor bulkhead_floor
#define floorf bulkhead_floorf
#define ceil bulkhead_ceil
#define ceilf bulkhead_ceilf
#define trunc bulkhead_trunc
#define truncf bulkhead_truncf
#define nearbyint bulkhead_nearbyint
#define nearbyintf bulkhead_nearbyintf
#include "module.c"
#undef floor
#undef floorf
#undef ceil
#undef ceilf
#undef trunc
#undef truncf
#undef nearbyint
#undef nearbyintf

#define SAME(ours, theirs, our_member, their_member) \
  _Static_assert(offsetof(struct ours, our_member) == offsetof(theirs, their_member) && \
                     sizeof(struct ours) == sizeof(theirs), \
                 "wasm-rt.h is not the one of wabt 1.0.32")
SAME(bulkhead_wasm_memory, wasm_rt_memory_t, pages, pages);
SAME(bulkhead_wasm_memory, wasm_rt_memory_t, size, size);
SAME(bulkhead_wasm_table, wasm_rt_funcref_table_t, size, size);
SAME(bulkhead_wasm_function, wasm_rt_funcref_t, code, func);
SAME(bulkhead_wasm_function, wasm_rt_funcref_t, instance, module_instance);

static const struct bulkhead_wasm_host* host;

/* --- what the compiler calls */

void* memcpy(void* restrict to, const void* restrict from, size_t bytes) {
  void* at = to;
  asm volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(bytes) : : "memory");
  return to;
}

void* memset(void* to, int value, size_t bytes) {
  void* at = to;
  asm volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(value) : "memory");
  return to;
}

void* memmove(void* to, const void* from, size_t bytes) {
  u8* at = to;
  const u8* source = from;
  if ((uintptr_t)to - (uintptr_t)from >= bytes) return memcpy(to, from, bytes);
  while (bytes >= 8) {
    u64 part;
    bytes -= 8;
    wasm_rt_memcpy(&part, source + bytes, 8);
    wasm_rt_memcpy(at + bytes, &part, 8);
  }
  while (bytes > 0) {
    bytes -= 1;
    at[bytes] = source[bytes];
    wasm_asm("" : : : "memory"); /* not a call of memmove */
  }
  return to;
}

/* --- what wasm2c calls */

bool wasm_rt_is_initialized(void) {
  return true;
}

void wasm_rt_trap(wasm_rt_trap_t kind) {
  host->trap(kind, __builtin_return_address(0));
  __builtin_unreachable();
}

uint32_t wasm_rt_register_func_type(uint32_t params, uint32_t results, ...) {
  uint32_t kinds[params + results + 1];
  va_list all;
  va_start(all, results);
  for (uint32_t i = 0; i < params + results; ++i) kinds[i] = va_arg(all, wasm_rt_type_t);
  va_end(all);
  return host->register_type(kinds, params, results);
}

void wasm_rt_allocate_memory(wasm_rt_memory_t* memory, uint32_t initial, uint32_t max) {
  host->allocate_memory((struct bulkhead_wasm_memory*)memory, initial, max);
}
uint32_t wasm_rt_grow_memory(wasm_rt_memory_t* memory, uint32_t pages) {
  return host->grow_memory((struct bulkhead_wasm_memory*)memory, pages);
}
void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t* table, uint32_t elements,
                                    uint32_t max) {
  host->allocate_table((struct bulkhead_wasm_table*)table, elements, max);
}
/* Tables keep their size: to refuse is allowed to whoever runs a module. */
uint32_t wasm_rt_grow_funcref_table(wasm_rt_funcref_table_t* table, uint32_t more,
                                    wasm_rt_funcref_t value) {
  (void)value;
  return more == 0 ? table->size : UINT32_MAX;
}
/* The server frees instances itself. */
void wasm_rt_free_memory(wasm_rt_memory_t* memory) {
  (void)memory;
}
void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t* table) {
  (void)table;
}

/* --- imports of the contract; which instance calls, the server knows */

#define BULKHEAD(name) Z_bulkheadZ_##name(struct Z_bulkhead_instance_t* unused)
struct Z_bulkhead_instance_t;

u64 BULKHEAD(wall_left_ns) {
  (void)unused;
  return (u64)host->wall_left_ns();
}
u64 BULKHEAD(cpu_left_ns) {
  (void)unused;
  return (u64)host->cpu_left_ns();
}
u64 BULKHEAD(memory_bytes_max) {
  (void)unused;
  return host->memory_bytes_max();
}
void Z_bulkheadZ_log(struct Z_bulkhead_instance_t* unused, u32 text, u32 bytes) {
  (void)unused;
  host->log(text, bytes);
}

/* --- what the C library for WebAssembly imports: errors are those of WASI */

#define WASI(name) Z_wasi_snapshot_preview1Z_##name
#define CONTEXT struct Z_wasi_snapshot_preview1_instance_t* unused
struct Z_wasi_snapshot_preview1_instance_t;
enum { WASI_BADF = 8, WASI_SPIPE = 70 };

u32 WASI(clock_time_get)(CONTEXT, u32 id, u64 precision, u32 to) {
  (void)unused, (void)precision;
  return host->clock_get(id, to);
}
u32 WASI(random_get)(CONTEXT, u32 to, u32 bytes) {
  (void)unused;
  return host->random_get(to, bytes);
}
u32 WASI(fd_write)(CONTEXT, u32 fd, u32 vectors, u32 count, u32 written_to) {
  (void)unused;
  return host->fd_write(fd, vectors, count, written_to);
}
u32 WASI(fd_close)(CONTEXT, u32 fd) {
  (void)unused, (void)fd;
  return WASI_BADF;
}
u32 WASI(fd_seek)(CONTEXT, u32 fd, u64 by, u32 whence, u32 to) {
  (void)unused, (void)by, (void)whence, (void)to;
  return fd <= 2 ? WASI_SPIPE : WASI_BADF;
}
u32 WASI(fd_fdstat_get)(CONTEXT, u32 fd, u32 to) {
  (void)unused, (void)fd, (void)to;
  return WASI_BADF;
}
u32 WASI(environ_sizes_get)(CONTEXT, u32 count_to, u32 bytes_to) {
  (void)unused;
  return host->store_two_zeros(count_to, bytes_to);
}
u32 WASI(environ_get)(CONTEXT, u32 all, u32 text) {
  (void)unused, (void)all, (void)text;
  return 0;
}
u32 WASI(poll_oneoff)(CONTEXT, u32 in, u32 out, u32 count, u32 events_to) {
  (void)unused;
  return host->poll_oneoff(in, out, count, events_to);
}
u32 WASI(sched_yield)(CONTEXT) {
  (void)unused;
  return 0;
}
void WASI(proc_exit)(CONTEXT, u32 code) {
  (void)unused;
  host->proc_exit(code);
  __builtin_unreachable();
}

/* --- the module's face; BULKHEAD_CONTEXTS: a null for each module that it imports from */

static void instantiate(void* instance) {
  Z_module_instantiate(instance BULKHEAD_CONTEXTS);
}
static void initialize(void* instance) {
#if BULKHEAD_INITIALIZE
  Z_moduleZ__initialize(instance);
#else
  (void)instance;
#endif
}
static struct bulkhead_wasm_memory* memory(void* instance) {
  return (struct bulkhead_wasm_memory*)Z_moduleZ_memory(instance);
}
static u32 handle(void* instance, u32 request, u32 request_bytes, u32 response, u32 response_max) {
  return Z_moduleZ_bulkhead_handle(instance, request, request_bytes, response, response_max);
}

__attribute__((visibility("default"))) const struct bulkhead_wasm_module bulkhead_wasm_module = {
    .host = &host,
    .instance_bytes = sizeof(Z_module_instance_t),
    .uses_cpu_left = BULKHEAD_CPU_LEFT,
    .init = Z_module_init_module,
    .instantiate = instantiate,
    .initialize = initialize,
    .memory = memory,
    .handle = handle,
};
