# The libraries of a mingw-w64 build. Header-only ones come from the distribution, through a folder of symlinks:
# /usr/include as a whole belongs to another operating system. zlib is Debian's package for mingw-w64.
# Everything else comes from Debian's source packages (packaging/fetch-debian-source) and is built here
# from our own lists of sources: only the decompressors of liblzma and libzstd.
set(CULPRIT_WINDOWS_SOURCES ${PROJECT_SOURCE_DIR}/build/source CACHE PATH
    "folder with the unpacked source packages re2, xz-utils, libzstd, libyaml and libsolv")
foreach(package re2 xz-utils libzstd libyaml libsolv)
  if(NOT IS_DIRECTORY ${CULPRIT_WINDOWS_SOURCES}/${package})
    message(FATAL_ERROR "${CULPRIT_WINDOWS_SOURCES}/${package} is not there: packaging/fetch-debian-source "
                        "${CULPRIT_WINDOWS_SOURCES} re2 xz-utils libzstd libyaml libsolv fetches it")
  endif()
endforeach()

set(headers ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(folder fmt nlohmann)
  if(NOT IS_DIRECTORY /usr/include/${folder})
    message(FATAL_ERROR "/usr/include/${folder} is not there (tools/setup build installs it)")
  endif()
  file(CREATE_LINK /usr/include/${folder} ${headers}/${folder} SYMBOLIC)
endforeach()
foreach(target fmt::fmt-header-only nlohmann_json::nlohmann_json)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${headers})
endforeach()
target_compile_definitions(fmt::fmt-header-only INTERFACE FMT_HEADER_ONLY=1)
file(STRINGS ${headers}/fmt/core.h fmt_version REGEX "#define FMT_VERSION")
string(REGEX MATCH "[0-9]+" fmt_version "${fmt_version}")
math(EXPR fmt_VERSION "${fmt_version} / 10000")  # the name that find_package() would use

find_path(CULPRIT_MINGW_ZLIB_HEADER zlib.h REQUIRED)
find_library(CULPRIT_MINGW_ZLIB NAMES libz.a REQUIRED)
add_library(PkgConfig::ZLIB INTERFACE IMPORTED GLOBAL)
target_link_libraries(PkgConfig::ZLIB INTERFACE ${CULPRIT_MINGW_ZLIB})

set(re2 ${CULPRIT_WINDOWS_SOURCES}/re2)
foreach(name bitstate compile dfa filtered_re2 mimics_pcre nfa onepass parse prefilter prefilter_tree prog re2 regexp
             set simplify stringpiece tostring)
  list(APPEND re2_sources ${re2}/re2/${name}.cc)
endforeach()
# Debian's sources of RE2 lack the tables that RE2's own scripts generate; those would download from unicode.org.
set(tables ${CMAKE_BINARY_DIR}/re2-tables)
file(READ ${re2}/re2/unicode.py reader)
string(REGEX REPLACE "https://www.unicode.org/Public/[0-9.]+/ucd" "/usr/share/unicode" reader "${reader}")
file(CONFIGURE OUTPUT ${tables}/unicode.py CONTENT "${reader}" @ONLY)
foreach(script make_unicode_casefold.py make_unicode_groups.py make_perl_groups.pl)
  configure_file(${re2}/re2/${script} ${tables}/${script} COPYONLY)
  string(REGEX REPLACE "make_(.*)\\.p[yl]" "${tables}/\\1.cc" table ${script})
  if(script MATCHES "pl$")
    set(interpreter perl)
  else()
    set(interpreter python3)
  endif()
  add_custom_command(OUTPUT ${table} COMMAND ${interpreter} ${tables}/${script} > ${table}
                     DEPENDS ${tables}/${script} VERBATIM COMMENT "Making ${table}")
  list(APPEND re2_sources ${table})
endforeach()
culprit_source_library(RE2 INCLUDE ${re2} SOURCES ${re2_sources} ${re2}/util/rune.cc ${re2}/util/strutil.cc)

set(zstd ${CULPRIT_WINDOWS_SOURCES}/libzstd/lib)
file(GLOB zstd_sources ${zstd}/common/*.c ${zstd}/decompress/*.c)
culprit_source_library(ZSTD INCLUDE ${zstd} SOURCES ${zstd_sources}
                       DEFINITIONS ZSTD_DISABLE_ASM ZSTD_LEGACY_SUPPORT=0 DYNAMIC_BMI2=0)

set(lzma ${CULPRIT_WINDOWS_SOURCES}/xz-utils/src/liblzma)
foreach(name common block_util block_header_decoder block_decoder easy_preset filter_common filter_decoder
             filter_flags_decoder index index_decoder index_hash outqueue stream_decoder stream_flags_common
             stream_flags_decoder vli_decoder vli_size)
  list(APPEND lzma_sources ${lzma}/common/${name}.c)
endforeach()
culprit_source_library(LZMA INCLUDE ${lzma}/api
  SOURCES ${lzma_sources} ${lzma}/check/check.c ${lzma}/check/crc32_fast.c ${lzma}/check/crc32_table.c
          ${lzma}/check/crc64_fast.c ${lzma}/check/crc64_table.c ${lzma}/check/sha256.c ${lzma}/lz/lz_decoder.c
          ${lzma}/lzma/lzma2_decoder.c ${lzma}/lzma/lzma_decoder.c ${lzma}/lzma/lzma_encoder_presets.c
  PRIVATE_INCLUDE ${lzma}/common ${lzma}/check ${lzma}/lz ${lzma}/lzma ${lzma}/rangecoder ${lzma}/delta
                  ${lzma}/simple ${CULPRIT_WINDOWS_SOURCES}/xz-utils/src/common
  DEFINITIONS HAVE_STDBOOL_H HAVE_STDINT_H HAVE_INTTYPES_H HAVE_DECODERS HAVE_DECODER_LZMA1 HAVE_DECODER_LZMA2
              HAVE_CHECK_CRC32 HAVE_CHECK_CRC64 HAVE_CHECK_SHA256 SIZEOF_SIZE_T=8 TUKLIB_FAST_UNALIGNED_ACCESS
              TUKLIB_SYMBOL_PREFIX=lzma_ LZMA_API_STATIC)
target_compile_definitions(source_lzma INTERFACE LZMA_API_STATIC)

set(yaml ${CULPRIT_WINDOWS_SOURCES}/libyaml)
foreach(name api parser reader scanner)  # no writer
  list(APPEND yaml_sources ${yaml}/src/${name}.c)
endforeach()
culprit_source_library(YAML INCLUDE ${yaml}/include SOURCES ${yaml_sources} PRIVATE_INCLUDE ${yaml}/src
  DEFINITIONS YAML_DECLARE_STATIC YAML_VERSION_MAJOR=0 YAML_VERSION_MINOR=2 YAML_VERSION_PATCH=5 YAML_VERSION_STRING="0.2.5")
target_compile_definitions(source_yaml INTERFACE YAML_DECLARE_STATIC)

culprit_libsolv(${CULPRIT_WINDOWS_SOURCES}/libsolv)
