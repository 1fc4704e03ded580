# bulkhead_room(NAME [DEPENDS targets...])
#
# The static library bulkhead_NAME of this folder: all its sources, those of its subfolders with a
# CMakeLists.txt of their own left out. A folder that has no source yet gets no target, and a
# dependency that does not exist yet is left out.
function(bulkhead_room name)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  file(GLOB own_build ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  foreach(listfile IN LISTS own_build)
    get_filename_component(folder ${listfile} DIRECTORY)
    list(FILTER sources EXCLUDE REGEX "^${folder}/")
  endforeach()
  if(NOT sources)
    message(STATUS "bulkhead_${name}: no source yet")
    return()
  endif()
  add_library(bulkhead_${name} STATIC ${sources})
  target_include_directories(bulkhead_${name} PUBLIC ${CMAKE_SOURCE_DIR})
  bulkhead_link(bulkhead_${name} PUBLIC ${arg_DEPENDS})
endfunction()

# target_link_libraries without rooms that are still empty. Imported targets are SYSTEM includes.
function(bulkhead_link target scope)
  foreach(dependency IN LISTS ARGN)
    if(TARGET ${dependency})
      target_link_libraries(${target} ${scope} ${dependency})
    elseif(NOT dependency MATCHES "^bulkhead_")
      message(FATAL_ERROR "${target}: there is no target ${dependency}")
    endif()
  endforeach()
endfunction()

# CAF's headers take seconds in each source: parse them once a target.
function(bulkhead_precompile_caf target)
  if(EXISTS ${CMAKE_SOURCE_DIR}/actors/runtime/caf.hpp)
    target_precompile_headers(${target} PRIVATE ${CMAKE_SOURCE_DIR}/actors/runtime/caf.hpp)
  endif()
endfunction()
