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
  target_include_directories(bulkhead_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_compile_features(bulkhead_${name} PUBLIC cxx_std_20)
  if(CMAKE_INTERPROCEDURAL_OPTIMIZATION AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Who links the installed library may have another compiler, or no link-time optimisation.
    target_compile_options(bulkhead_${name} PRIVATE -ffat-lto-objects)
  endif()
  bulkhead_link(bulkhead_${name} PUBLIC ${arg_DEPENDS})

  # Users name what it is for: bulkhead::server.
  string(REPLACE "actors" "server" public_name ${name})
  add_library(bulkhead::${public_name} ALIAS bulkhead_${name})
  set_target_properties(bulkhead_${name} PROPERTIES EXPORT_NAME ${public_name})
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
  if(EXISTS ${PROJECT_SOURCE_DIR}/actors/runtime/caf.hpp)
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/actors/runtime/caf.hpp)
  endif()
endfunction()
