# Where Brotli and Zstd come from:
#   CPB_CODECS=builtin     the libraries (dependencies.cmake)
#   CPB_CODECS=host        the program that uses libcpb decodes them by a function
#                          of its own (cpb/host_codec.h); neither is written
#   CPB_WITH_BROTLI=OFF    of the libraries only Zstd; Brotli is CPB_E_UNSUPPORTED
set(CPB_CODECS builtin CACHE STRING "builtin or host")
set_property(CACHE CPB_CODECS PROPERTY STRINGS builtin host)
option(CPB_WITH_BROTLI "Read and write Brotli" ON)

# cpb_codec_sources(<target> <builtin or host> <with Brotli>)
function(cpb_codec_sources target from brotli)
  if(from STREQUAL host)
    set(files host.c)
  elseif(brotli)
    set(files decoder_zstd.c zstd_blocks.c encoder_zstd.c decoder_brotli.c encoder_brotli.c
      noise.c)
  else()
    set(files decoder_zstd.c zstd_blocks.c encoder_zstd.c without_brotli.c)
  endif()
  list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/src/riegeli/codec/)
  target_sources(${target} PRIVATE ${files})
endfunction()
