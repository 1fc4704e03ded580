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
