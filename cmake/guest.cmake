# bulkhead_guest(NAME SOURCES...)
#
# A handler as a shared object for the process executor, <build>/.../NAME.so. Never instrumented: it
# is loaded by a program that is not, and its own faults are its sandbox's business.
function(bulkhead_guest name)
  add_library(${name} MODULE ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  set_target_properties(${name} PROPERTIES PREFIX "" INTERPROCEDURAL_OPTIMIZATION OFF)
  target_compile_options(${name} PRIVATE -fvisibility=hidden)
  if(BULKHEAD_SANITIZE)
    target_compile_options(${name} PRIVATE -fno-sanitize=all)
    target_link_options(${name} PRIVATE -fno-sanitize=all)
  endif()
endfunction()

# bulkhead_wasm_guest(NAME SOURCES...)
#
# The same as a WebAssembly module, <build>/.../NAME.wasm, with the target NAME_wasm; nothing where
# Debian's tool chain for it is not installed. BULKHEAD_HAS_WASM says whether it is.
find_program(BULKHEAD_WASM_CXX clang++-14)
find_program(BULKHEAD_WASM_LINKER wasm-ld-14)
find_program(BULKHEAD_WASM2C wasm2c)
find_file(BULKHEAD_WASM_LIBC crt1-reactor.o PATHS /usr/lib/wasm32-wasi NO_DEFAULT_PATH)
find_file(BULKHEAD_WASM_LIBCXX libc++.a PATHS /usr/lib/wasm32-wasi NO_DEFAULT_PATH)
find_file(BULKHEAD_WASM_LIBCXXABI libc++abi.a PATHS /usr/lib/wasm32-wasi NO_DEFAULT_PATH)
find_file(BULKHEAD_WASM_BUILTINS libclang_rt.builtins-wasm32.a
  PATHS /usr/lib/llvm-14/lib/clang/14.0.6/lib/wasi NO_DEFAULT_PATH)
set(BULKHEAD_HAS_WASM TRUE)
foreach(part CXX LINKER LIBC LIBCXX LIBCXXABI BUILTINS)
  if(NOT BULKHEAD_WASM_${part})
    set(BULKHEAD_HAS_WASM FALSE)
  endif()
endforeach()
if(NOT BULKHEAD_WASM2C)
  set(BULKHEAD_HAS_WASM FALSE)
endif()
set(bulkhead_wasm_flags --target=wasm32-wasi -mexec-model=reactor -mbulk-memory -fno-exceptions
  -std=c++20 -O2 -g0 -Wall -Wextra -I${PROJECT_SOURCE_DIR} -Wl,--stack-first)

function(bulkhead_wasm_guest name)
  if(NOT BULKHEAD_HAS_WASM)
    return()
  endif()
  set(module ${CMAKE_CURRENT_BINARY_DIR}/${name}.wasm)
  set(sources ${ARGN})
  file(GLOB headers ${CMAKE_CURRENT_SOURCE_DIR}/*.hpp)
  list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  add_custom_command(OUTPUT ${module}
    COMMAND ${BULKHEAD_WASM_CXX} ${bulkhead_wasm_flags} ${sources} -o ${module}
    DEPENDS ${sources} ${headers} ${PROJECT_SOURCE_DIR}/sandbox/bulkhead_guest.h
      ${PROJECT_SOURCE_DIR}/sandbox/bulkhead_guest.hpp
    VERBATIM)
  add_custom_target(${name}_wasm ALL DEPENDS ${module})
endfunction()
