// For x86-64 and the System V calling convention.
#include "sandbox/wasm/switch.hpp"

#include "sandbox/wasm/imports.hpp"

extern "C" {
constinit __thread bulkhead::sandbox::wasm_frame* bulkhead_wasm_top = nullptr;
}

// The frame begins with `sp` and `result`. Preserved: rbx, rbp, r12 to r15, mxcsr, x87 control
// word. A gate touches the server's stack only: the guest's may be at its end.
asm(R"(
.pushsection .text
.type bulkhead_wasm_enter, @function
.global bulkhead_wasm_enter
bulkhead_wasm_enter:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  sub $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  mov %rsp, (%rdi)
  mov %rdi, %rbx
  mov %rsi, %rsp
  xor %ebp, %ebp
  mov %rdx, %rax
  mov %rcx, %r9
  mov (%r9), %rdi
  mov 8(%r9), %rsi
  mov 16(%r9), %rdx
  mov 24(%r9), %rcx
  mov 32(%r9), %r8
  call *%rax
  mov (%rbx), %rsp
  mov %rax, 8(%rbx)
  xor %eax, %eax
1:
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  add $8, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size bulkhead_wasm_enter, .-bulkhead_wasm_enter

.type bulkhead_wasm_land, @function
.global bulkhead_wasm_land
bulkhead_wasm_land:
  mov (%rdi), %rsp
  mov %esi, %eax
  cld
  fninit
  jmp 1b
.size bulkhead_wasm_land, .-bulkhead_wasm_land

.macro gate name
.type bulkhead_wasm_gate_\name, @function
.hidden bulkhead_wasm_gate_\name
.global bulkhead_wasm_gate_\name
bulkhead_wasm_gate_\name:
  lea bulkhead_wasm_\name(%rip), %rax
  jmp 2f
.endm
gate trap
gate allocate_memory
gate grow_memory
gate allocate_table
gate wall_left_ns
gate cpu_left_ns
gate memory_bytes_max
gate log
gate clock_get
gate random_get
gate fd_write
gate poll_oneoff
gate store_two_zeros
gate proc_exit
2:
  mov bulkhead_wasm_top@gottpoff(%rip), %r10
  mov %fs:(%r10), %r10
  mov %rsp, %r11
  mov (%r10), %rsp
  push %r11
  push %r11
  call *%rax
  mov (%rsp), %rsp
  ret
.popsection
)");

extern "C" {
void bulkhead_wasm_gate_trap(std::uint32_t, const void*);
void bulkhead_wasm_gate_allocate_memory(bulkhead_wasm_memory*, std::uint32_t, std::uint32_t);
std::uint32_t bulkhead_wasm_gate_grow_memory(bulkhead_wasm_memory*, std::uint32_t);
void bulkhead_wasm_gate_allocate_table(bulkhead_wasm_table*, std::uint32_t, std::uint32_t);
std::int64_t bulkhead_wasm_gate_wall_left_ns();
std::int64_t bulkhead_wasm_gate_cpu_left_ns();
std::uint64_t bulkhead_wasm_gate_memory_bytes_max();
void bulkhead_wasm_gate_log(std::uint32_t, std::uint32_t);
std::uint32_t bulkhead_wasm_gate_clock_get(std::uint32_t, std::uint32_t);
std::uint32_t bulkhead_wasm_gate_random_get(std::uint32_t, std::uint32_t);
std::uint32_t bulkhead_wasm_gate_fd_write(std::uint32_t, std::uint32_t, std::uint32_t,
                                          std::uint32_t);
std::uint32_t bulkhead_wasm_gate_poll_oneoff(std::uint32_t, std::uint32_t, std::uint32_t,
                                             std::uint32_t);
std::uint32_t bulkhead_wasm_gate_store_two_zeros(std::uint32_t, std::uint32_t);
void bulkhead_wasm_gate_proc_exit(std::uint32_t);

const bulkhead_wasm_host bulkhead_wasm_gates = {
    .register_type = bulkhead_wasm_register_type,
    .trap = bulkhead_wasm_gate_trap,
    .allocate_memory = bulkhead_wasm_gate_allocate_memory,
    .grow_memory = bulkhead_wasm_gate_grow_memory,
    .allocate_table = bulkhead_wasm_gate_allocate_table,
    .wall_left_ns = bulkhead_wasm_gate_wall_left_ns,
    .cpu_left_ns = bulkhead_wasm_gate_cpu_left_ns,
    .memory_bytes_max = bulkhead_wasm_gate_memory_bytes_max,
    .log = bulkhead_wasm_gate_log,
    .clock_get = bulkhead_wasm_gate_clock_get,
    .random_get = bulkhead_wasm_gate_random_get,
    .fd_write = bulkhead_wasm_gate_fd_write,
    .poll_oneoff = bulkhead_wasm_gate_poll_oneoff,
    .store_two_zeros = bulkhead_wasm_gate_store_two_zeros,
    .proc_exit = bulkhead_wasm_gate_proc_exit,
};
}
