# culprit_embed(OBJECTS SYMBOL FILE DEPENDS TARGET)
#   Puts FILE, a program or library that DEPENDS builds, into the object library OBJECTS: without its symbols and as a gzip file, as
#   read-only data between `extern "C" const unsigned char SYMBOL_begin[], SYMBOL_end[]`. The assembler reads the file, so
#   it costs no compile time. For gcc, clang and mingw. MSVC's assembler has no .incbin, so the symbols are not defined
#   there: CULPRIT_EMBEDS says whether they are.
if(MSVC)
  set(CULPRIT_EMBEDS OFF)
else()
  set(CULPRIT_EMBEDS ON)
endif()

function(culprit_embed objects symbol file)
  cmake_parse_arguments(ARG "" "DEPENDS" "" ${ARGN})
  if(NOT CULPRIT_EMBEDS)
    return()
  endif()
  set(section ".section .rodata,\"a\"")
  if(WIN32)
    set(section ".section .rdata,\"dr\"")
  endif()
  set(packed ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.gz)
  set(bare ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.bare)
  add_custom_command(OUTPUT ${packed}
    COMMAND ${CMAKE_STRIP} --strip-all -R .comment -o ${bare} ${file}
    COMMAND gzip $<IF:$<CONFIG:Release>,-9,-1> -n -f -S .gz ${bare}
    COMMAND ${CMAKE_COMMAND} -E rename ${bare}.gz ${packed}
    DEPENDS ${file} ${ARG_DEPENDS} VERBATIM)
  # Written as C++ with one block of assembler, because every generator knows how to compile that for any target.
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${symbol}_embedded.cc)
  string(REPLACE "\"" "\\\"" section "${section}")
  file(GENERATE OUTPUT ${source} CONTENT "__asm__(
    \"${section}\\n\"
    \".balign 16\\n\"
    \".globl ${symbol}_begin\\n\"
    \"${symbol}_begin:\\n\"
    \".incbin \\\"${packed}\\\"\\n\"
    \".globl ${symbol}_end\\n\"
    \"${symbol}_end:\\n\"
    \".byte 0\\n\"
    \".text\\n\");
")
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${packed}" SKIP_UNITY_BUILD_INCLUSION ON
                                                   SKIP_PRECOMPILE_HEADERS ON)
  # By itself: all sources of a target would wait for the file, and for every library that the target links.
  if(NOT TARGET ${objects})
    add_library(${objects} OBJECT)
  endif()
  target_sources(${objects} PRIVATE ${source} ${packed})
  add_dependencies(${objects} ${ARG_DEPENDS})
endfunction()
