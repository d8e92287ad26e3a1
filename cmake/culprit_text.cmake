# culprit_text(TARGET NAME FUNCTION FILE... [FUNCTION FILE...]...)
#   Puts texts into TARGET: NAME.h declares `std::string culprit::FUNCTION()` for each argument that is not a file name (has
#   no dot); it returns the FILEs that follow it, concatenated. Works with any compiler: texts become string
#   literals, in pieces small enough for MSVC. (culprit_embed is for bytes, and not for MSVC.)
function(culprit_text target name)
  set(files "")
  foreach(word IN LISTS ARGN)
    if(word MATCHES "[.]")
      list(APPEND files ${CMAKE_CURRENT_SOURCE_DIR}/${word})
    endif()
  endforeach()
  # Included as "render/NAME.h", like the headers of that folder.
  get_filename_component(own ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/texts/${own})
  string(REPLACE ";" "|" words "${ARGN}")
  set(script ${PROJECT_SOURCE_DIR}/cmake/write_texts.cmake)
  add_custom_command(OUTPUT ${folder}/${name}.cc ${folder}/${name}.h
    COMMAND ${CMAKE_COMMAND} "-DWORDS=${words}" -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR} -DNAME=${name}
            -DFOLDER=${folder} -P ${script}
    DEPENDS ${files} ${script} VERBATIM)
  target_sources(${target} PRIVATE ${folder}/${name}.cc ${folder}/${name}.h)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/texts)
endfunction()
