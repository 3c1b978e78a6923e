# What a reader for devices (cpb/pager.h, cpb/field_reader.h) is compiled of, for builds that are not the project's own
# and take lists: examples/cortex-m, packaging/esp-idf, zephyr. It has no malloc, does no I/O and
# needs nothing that is generated.
#
#   include(cmake/device.cmake)
#   cpb_device_reader(<prefix> none | zstd | all)
#
# sets in the caller
#   <prefix>_SOURCES              of libcpb, with its warnings
#   <prefix>_FOREIGN_SOURCES      of Zstd and Brotli, without
#   <prefix>_INCLUDES, <prefix>_FOREIGN_INCLUDES
#   <prefix>_DEFINITIONS, <prefix>_FOREIGN_DEFINITIONS
# none reads what is not compressed, zstd also Zstd and Snappy, all also Brotli. Their sources come
# from where sources.cmake says.
set(CPB_DEVICE_ROOT ${CMAKE_CURRENT_LIST_DIR}/..)
get_filename_component(CPB_DEVICE_ROOT ${CPB_DEVICE_ROOT} ABSOLUTE)

set(CPB_DEVICE_READER
  base/alloc.c base/alloc_none.c base/budget.c base/input.c base/limits.c base/meter.c base/status.c
  riegeli/block.c riegeli/chunk_source.c riegeli/highwayhash.c riegeli/highwayhash_kernel.c
  riegeli/codec/decompressor.c riegeli/codec/memory.c
  riegeli/records/doubt.c riegeli/records/load.c riegeli/records/next_record.c riegeli/records/reader.c
  riegeli/records/recovery.c riegeli/records/seek.c
  riegeli/simple/decoder.c
  riegeli/transpose/buffers.c riegeli/transpose/cursor.c riegeli/transpose/machine.c riegeli/transpose/nodes.c
  riegeli/transpose/program.c
  riegeli/transpose/transpose.c riegeli/transpose/transposed.c
  proto/descriptors.c proto/path.c proto/small.c proto/wire.c proto/schema/lookup.c
  chunked/index/metadata_version.c chunked/index/paged_index.c
  chunked/read/field_plan.c chunked/read/field_reader.c chunked/read/field_walk.c chunked/read/field_way.c
  chunked/read/pager.c)
set(CPB_DEVICE_CODECS_none none.c)
set(CPB_DEVICE_CODECS_zstd decoder_zstd.c zstd_blocks.c decoder_snappy.c without_brotli.c)
set(CPB_DEVICE_CODECS_all decoder_zstd.c zstd_blocks.c decoder_snappy.c decoder_brotli.c)

# Zstd with tables and buffers for little memory; and, as everywhere, strict (dependencies.cmake).
set(CPB_DEVICE_ZSTD ZSTD_DECODER_INTERNAL_BUFFER=4096 ZSTD_STRIP_ERROR_STRINGS DYNAMIC_BMI2=0 ZSTD_LEGACY_SUPPORT=0)
set(CPB_STRICT_ZSTD ZSTD_DISABLE_ASM XXH_NAMESPACE=ZSTD_ HUF_FORCE_DECOMPRESS_X1 ZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT)
# Brotli without reads that are not aligned.
set(CPB_DEVICE_BROTLI BROTLI_BUILD_PORTABLE)
# The libraries' own allocators, which are not used: both are given another.
set(CPB_DEVICE_NO_MALLOC malloc=cpb_absent_malloc calloc=cpb_absent_calloc free=cpb_absent_free)

function(cpb_device_reader prefix codecs)
  if(NOT DEFINED CPB_DEVICE_CODECS_${codecs})
    message(FATAL_ERROR "cpb_device_reader: codecs are \"${codecs}\"; expected none, zstd or all")
  endif()
  set(src ${CPB_DEVICE_ROOT}/src)
  list(TRANSFORM CPB_DEVICE_READER PREPEND ${src}/ OUTPUT_VARIABLE sources)
  foreach(file IN LISTS CPB_DEVICE_CODECS_${codecs})
    list(APPEND sources ${src}/riegeli/codec/${file})
  endforeach()
  set(foreign)
  set(foreign_includes)
  set(foreign_definitions)
  if(codecs MATCHES "zstd|all")
    cpb_source_tree(zstd zstd)
    foreach(file common/entropy_common common/error_private common/fse_decompress common/xxhash common/zstd_common
                 decompress/zstd_ddict decompress/zstd_decompress decompress/zstd_decompress_block)
      list(APPEND foreign ${zstd}/lib/${file}.c)
    endforeach()
    list(APPEND foreign ${src}/zstd/huffman.c)
    list(APPEND foreign_includes ${zstd}/lib)
    list(APPEND foreign_definitions ${CPB_STRICT_ZSTD} ${CPB_DEVICE_ZSTD} ${CPB_DEVICE_NO_MALLOC})
  endif()
  if(codecs STREQUAL all)
    cpb_source_tree(brotli brotli)
    foreach(file common/constants common/context common/dictionary common/platform common/transform
                 dec/bit_reader dec/decode dec/huffman dec/state)
      list(APPEND foreign ${brotli}/c/${file}.c)
    endforeach()
    list(APPEND foreign_includes ${brotli}/c/include)
    list(APPEND foreign_definitions ${CPB_DEVICE_BROTLI})
  endif()
  set(${prefix}_SOURCES ${sources} PARENT_SCOPE)
  set(${prefix}_INCLUDES ${CPB_DEVICE_ROOT}/include ${src} PARENT_SCOPE)
  set(${prefix}_DEFINITIONS CPB_ZSTD_BY_BLOCKS=1 CPB_WITH_PROJECTION=0 PARENT_SCOPE)
  set(${prefix}_FOREIGN_SOURCES ${foreign} PARENT_SCOPE)
  set(${prefix}_FOREIGN_INCLUDES ${foreign_includes} PARENT_SCOPE)
  set(${prefix}_FOREIGN_DEFINITIONS ${foreign_definitions} PARENT_SCOPE)
endfunction()
if(NOT COMMAND cpb_source_tree)
  include(${CMAKE_CURRENT_LIST_DIR}/sources.cmake)
endif()

# cpb_device_configured(<prefix>): the same with the codecs that CONFIG_CPB_CODECS_* say, as in ESP-IDF
# and Zephyr; Zstd and Snappy otherwise. A macro, so that the lists come to the caller.
macro(cpb_device_configured prefix)
  if(CONFIG_CPB_CODECS_NONE)
    cpb_device_reader(${prefix} none)
  elseif(CONFIG_CPB_CODECS_ALL)
    cpb_device_reader(${prefix} all)
  else()
    cpb_device_reader(${prefix} zstd)
  endif()
endmacro()
