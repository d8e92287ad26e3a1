# libsolv from the sources in `folder`, as PkgConfig::SOLV: Debian ships no static library, and our release is one
# file. Only the solver is compiled, not the repository readers.
function(culprit_libsolv folder)
  foreach(name bitmap chksum cleandeps cplxdeps decision dirpool diskusage evr filelistfilter fileprovides linkedpkg
               md5 order policy pool poolarch poolid poolvendor problems queue repo repo_solv repo_write repodata
               repopage rules selection sha1 sha2 solvable solver solver_util solverdebug solvversion strpool suse
               transaction userinstalled util)
    list(APPEND sources ${folder}/src/${name}.c)
  endforeach()
  set(headers ${CMAKE_BINARY_DIR}/libsolv)
  file(MAKE_DIRECTORY ${headers})
  file(CREATE_LINK ${folder}/src ${headers}/solv SYMBOLIC)
  include(${folder}/VERSION.cmake)
  set(VERSION ${LIBSOLV_MAJOR}.${LIBSOLV_MINOR}.${LIBSOLV_PATCH})
  configure_file(${folder}/src/solvversion.h.in ${headers}/solvversion.h)
  set(definitions LIBSOLV_INTERNAL=1 _FILE_OFFSET_BITS=64)
  if(WIN32)
    foreach(name fnmatch regcomp regexec regerror strfncs tre-mem)
      list(APPEND sources ${folder}/win32/${name}.c)
    endforeach()
    # It includes a header with a spelling that only a case-insensitive file system accepts.
    file(WRITE ${headers}/BaseTsd.h "#include <basetsd.h>\n")
    set(private ${folder}/win32)
    list(APPEND definitions SOLV_STATIC_LIB)
  else()
    list(APPEND definitions HAVE_STRCHRNUL=1 HAVE_QSORT_R=1)
  endif()
  culprit_source_library(SOLV INCLUDE ${headers} SOURCES ${sources}
                         PRIVATE_INCLUDE ${headers} ${folder}/src ${private} DEFINITIONS ${definitions})
  target_compile_options(source_solv PRIVATE -Os)
  if(WIN32)
    target_compile_definitions(source_solv INTERFACE SOLV_STATIC_LIB)
  else()  # no exception passes through it; Windows walks every frame by these tables
    target_compile_options(source_solv PRIVATE -fno-asynchronous-unwind-tables -fno-unwind-tables)
  endif()
endfunction()
