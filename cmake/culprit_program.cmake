# culprit_program(NAME SOURCES ... SEES ... LINKS ...)
#   A program for users, COLD as culprit_folder calls it, at the top of the build folder (build/release/culprit). With CULPRIT_STATIC it
#   depends on glibc alone and carries no function that nothing calls; src/cli takes glibc in as well. On Windows it
#   depends on the DLLs of Windows alone. packaging/test-release and packaging/test-windows check that.
function(culprit_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;SEES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  list(TRANSFORM ARG_SEES PREPEND culprit_)
  target_link_libraries(${name} PRIVATE culprit_flags ${ARG_SEES} ${ARG_LINKS})
  target_compile_options(${name} PRIVATE ${CULPRIT_COLD})
  culprit_unity(${name})
  if(CULPRIT_PCH)
    if(NOT WIN32)  # precompiled headers serve only what is compiled like them: culprit_as_room
      set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
      target_compile_options(${name} PRIVATE -fPIC)
    endif()
    target_precompile_headers(${name} REUSE_FROM culprit_cold_headers)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  if(CULPRIT_STATIC AND MINGW)
    target_link_options(${name} PRIVATE -static LINKER:--gc-sections)
  elseif(CULPRIT_STATIC)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc LINKER:--gc-sections LINKER:-O1
                                        LINKER:--as-needed LINKER:-z,relro,-z,lazy
                                        -no-pie)  # 4,600 fewer relocations at each start: docs/decisions.md
    # Lazy: a command calls only a quarter of the glibc functions that the program imports.
  endif()
  install(TARGETS ${name} RUNTIME)
endfunction()
