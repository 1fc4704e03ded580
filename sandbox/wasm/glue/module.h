/* What a translated module and the server know of each other. C11 and C++; the translation compiles
 * it together with glue.c, so both come from the server's program and agree. */
#ifndef BULKHEAD_WASM_MODULE_H
#define BULKHEAD_WASM_MODULE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As in wasm-rt.h of Debian's package wabt, which the server is built without. */
struct bulkhead_wasm_memory {
  uint8_t* data;
  uint32_t pages, max_pages;
  uint32_t size;
};
struct bulkhead_wasm_function {
  uint32_t type;
  void (*code)(void);
  void* instance;
};
struct bulkhead_wasm_table {
  struct bulkhead_wasm_function* data;
  uint32_t max_size, size;
};

/* Every call of the module to the outside. Each but the first switches to the server's stack before
 * it touches any, so a guest that is at the end of its own can't make the server fault. */
struct bulkhead_wasm_host {
  /* While the module is loaded, on the loader's stack. `kinds`: parameters, then results. */
  uint32_t (*register_type)(const uint32_t* kinds, uint32_t params, uint32_t results);

  void (*trap)(uint32_t kind, const void* from); /* does not return */
  void (*allocate_memory)(struct bulkhead_wasm_memory*, uint32_t initial_pages, uint32_t max_pages);
  uint32_t (*grow_memory)(struct bulkhead_wasm_memory*, uint32_t pages);
  void (*allocate_table)(struct bulkhead_wasm_table*, uint32_t elements, uint32_t max);

  int64_t (*wall_left_ns)(void);
  int64_t (*cpu_left_ns)(void);
  uint64_t (*memory_bytes_max)(void);
  void (*log)(uint32_t text, uint32_t bytes);

  uint32_t (*clock_get)(uint32_t id, uint32_t to);
  uint32_t (*random_get)(uint32_t to, uint32_t bytes);
  uint32_t (*fd_write)(uint32_t fd, uint32_t vectors, uint32_t count, uint32_t written_to);
  uint32_t (*poll_oneoff)(uint32_t in, uint32_t out, uint32_t count, uint32_t events_to);
  uint32_t (*store_two_zeros)(uint32_t first, uint32_t second);
  void (*proc_exit)(uint32_t code); /* does not return */
};

/* The one symbol that a module exports, `bulkhead_wasm_module`. `instance` is instance_bytes of
 * zeroed memory; all but `init` run under a frame. */
struct bulkhead_wasm_module {
  const struct bulkhead_wasm_host** host; /* to be set before anything is called */
  uint32_t instance_bytes;
  uint32_t uses_cpu_left;
  void (*init)(void);
  void (*instantiate)(void* instance);
  void (*initialize)(void* instance); /* its constructors, if it has any */
  struct bulkhead_wasm_memory* (*memory)(void* instance);
  uint32_t (*handle)(void* instance, uint32_t request, uint32_t request_bytes, uint32_t response,
                     uint32_t response_bytes_max);
};

#ifdef __cplusplus
}
#endif

#endif
