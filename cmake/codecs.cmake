# Brotli and Zstd come from the libraries (dependencies.cmake). CPB_WITH_BROTLI=OFF: of these only Zstd, and
# Brotli is CPB_E_UNSUPPORTED.
option(CPB_WITH_BROTLI "Read and write Brotli" ON)

# cpb_codec_sources(<target> <with Brotli>)
function(cpb_codec_sources target brotli)
  set(files decoder_zstd.c zstd_blocks.c encoder_zstd.c)
  if(brotli)
    list(APPEND files decoder_brotli.c encoder_brotli.c noise.c)
  else()
    list(APPEND files without_brotli.c)
  endif()
  list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/src/riegeli/codec/)
  target_sources(${target} PRIVATE ${files})
endfunction()
