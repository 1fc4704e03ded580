# Seccomp::seccomp: libseccomp of Debian's libseccomp-dev, the static one where there is one, so that
# workers do not carry another shared library.
find_path(Seccomp_INCLUDE_DIR seccomp.h)
find_library(Seccomp_LIBRARY NAMES libseccomp.a seccomp)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Seccomp
  REQUIRED_VARS Seccomp_LIBRARY Seccomp_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "on Debian: apt-get install libseccomp-dev")
if(Seccomp_FOUND AND NOT TARGET Seccomp::seccomp)
  add_library(Seccomp::seccomp UNKNOWN IMPORTED)
  set_target_properties(Seccomp::seccomp PROPERTIES
    IMPORTED_LOCATION ${Seccomp_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${Seccomp_INCLUDE_DIR})
endif()
mark_as_advanced(Seccomp_INCLUDE_DIR Seccomp_LIBRARY)
