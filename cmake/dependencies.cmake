# zstd, brotli and nanopb from the system. Each gives one imported target:
# cpb_zstd, cpb_brotli, cpb_nanopb.
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(BROTLI REQUIRED IMPORTED_TARGET libbrotlidec libbrotlienc libbrotlicommon)
add_library(cpb_zstd ALIAS PkgConfig::ZSTD)
add_library(cpb_brotli ALIAS PkgConfig::BROTLI)

find_path(NANOPB_INCLUDE_DIR pb_decode.h REQUIRED)
find_library(NANOPB_LIBRARY NAMES protobuf-nanopb REQUIRED)
find_program(NANOPB_PLUGIN protoc-gen-nanopb REQUIRED)
find_program(PROTOC protoc REQUIRED)
add_library(cpb_nanopb INTERFACE)
target_include_directories(cpb_nanopb INTERFACE ${NANOPB_INCLUDE_DIR})
target_link_libraries(cpb_nanopb INTERFACE ${NANOPB_LIBRARY})
