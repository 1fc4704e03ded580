# Every compiler and linker flag of the project, and why it is there.
include(CheckCXXCompilerFlag)
include(CheckPIESupported)

add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(BULKHEAD_WERROR)
  add_compile_options(-Werror)
endif()

# The optimiser's level is chosen here and not by CMake's defaults: -O3 buys size, not speed, for
# this code; sanitizers at -O1 find the same faults in half the time that they need at -O0, and
# their stacks need no more than lines.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")

# Frame pointers everywhere, leaf functions included: a profile or a crash stack from production can
# be walked without debug information and shows the function that was running, for about 1 % of CPU.
add_compile_options(-fno-omit-frame-pointer)
check_cxx_compiler_flag(-mno-omit-leaf-frame-pointer BULKHEAD_HAS_LEAF_FRAME_POINTER)
if(BULKHEAD_HAS_LEAF_FRAME_POINTER)
  add_compile_options(-mno-omit-leaf-frame-pointer)
endif()

# Position independent code lets the loader place the program at random (PIE); full RELRO makes the
# addresses of library functions read-only before the first request.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
check_pie_supported(LANGUAGES CXX)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  # -U first: some distributions predefine a lower level. glibc lowers 3 by itself where the
  # compiler is too old for it.
  add_compile_options(-fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  add_link_options(-Wl,-z,relro -Wl,-z,now)
endif()

if(BULKHEAD_SANITIZE)
  add_compile_options(-fsanitize=${BULKHEAD_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${BULKHEAD_SANITIZE})
  if(BULKHEAD_SANITIZE MATCHES "undefined")
    # That check opens a pipe to see whether memory can be read: out of descriptors, as some tests
    # are on purpose, it takes every object for a broken one.
    add_compile_options(-fno-sanitize=vptr)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12: the instrumentation hides initialisation from the first warning, and ThreadSanitizer's
    # note that it does not see fences would come up in standard headers.
    add_compile_options(-Wno-maybe-uninitialized -Wno-tsan)
  endif()
endif()
