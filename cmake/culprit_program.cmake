# culprit_program(NAME SOURCES ... LINKS ... PRECOMPILE ...)
#   A program for users, placed at the top of the build folder (build/release/culprit). With CULPRIT_STATIC it
#   depends on glibc alone, so that it starts on any distribution with that glibc or a newer one
#   (packaging/test-release checks which), and carries no function that nothing calls. On Windows it depends on
#   the DLLs of Windows alone.
function(culprit_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRECOMPILE" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE culprit_flags ${ARG_LINKS})
  if(CULPRIT_PCH AND ARG_PRECOMPILE)
    list(TRANSFORM ARG_PRECOMPILE PREPEND ${PROJECT_SOURCE_DIR}/src/ REGEX "/")
    target_precompile_headers(${name} PRIVATE ${ARG_PRECOMPILE})
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  if(CULPRIT_STATIC AND MINGW)
    target_link_options(${name} PRIVATE -static LINKER:--gc-sections)
  elseif(CULPRIT_STATIC)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc LINKER:--gc-sections LINKER:-O1
                                        LINKER:--as-needed LINKER:-z,relro,-z,now
                                        -no-pie)  # 4,600 relocations less at each start: docs/decisions.md
  endif()
  install(TARGETS ${name} RUNTIME)
endfunction()
