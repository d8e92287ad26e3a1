# culprit_dependency(PREFIX MODULE)
#   The library that pkg-config calls MODULE, as the target PkgConfig::PREFIX. With CULPRIT_STATIC the target
#   names the static libraries (libz.a) instead of the shared ones, including those that MODULE itself
#   requires. The linker takes only the members that are used, so liblzma only adds its
#   decoder. glibc stays shared, and so do libraries without a static version in the distribution.
#   If a static library that is really needed is missing, there is an undefined symbol at link time.
find_package(PkgConfig REQUIRED)

function(culprit_dependency prefix module)
  if(NOT CULPRIT_STATIC)
    pkg_check_modules(${prefix} REQUIRED IMPORTED_TARGET GLOBAL ${module})
    return()
  endif()
  pkg_check_modules(${prefix} REQUIRED ${module})
  set(archives "")
  foreach(library IN LISTS ${prefix}_STATIC_LIBRARIES)
    find_library(CULPRIT_ARCHIVE_${library} NAMES lib${library}.a HINTS ${${prefix}_STATIC_LIBRARY_DIRS})
    mark_as_advanced(CULPRIT_ARCHIVE_${library})
    if(CULPRIT_ARCHIVE_${library} AND NOT library MATCHES "^(c|m|dl|rt|pthread)$")
      list(APPEND archives ${CULPRIT_ARCHIVE_${library}})
    endif()
  endforeach()
  add_library(PkgConfig::${prefix} INTERFACE IMPORTED GLOBAL)
  target_include_directories(PkgConfig::${prefix} INTERFACE ${${prefix}_INCLUDE_DIRS})
  target_compile_options(PkgConfig::${prefix} INTERFACE ${${prefix}_CFLAGS_OTHER})
  target_link_libraries(PkgConfig::${prefix} INTERFACE ${archives})
endfunction()
