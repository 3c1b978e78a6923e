# Toolchain for WASI preview 1: the wasi-sdk that WASI_SDK_PATH names, or else
# the distribution's clang, lld, wasi-libc and compiler-rt.
set(WASI 1)
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)

set(WASI_SDK_PATH "$ENV{WASI_SDK_PATH}" CACHE PATH "An official wasi-sdk; empty for the distribution's")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WASI_SDK_PATH)
if(WASI_SDK_PATH)
  set(where PATHS ${WASI_SDK_PATH}/bin NO_DEFAULT_PATH)
  set(CMAKE_SYSROOT ${WASI_SDK_PATH}/share/wasi-sysroot)
  set(headers)
else()
  set(where)
  set(CMAKE_SYSROOT /usr)
  set(headers "-isystem /usr/include/wasm32-wasi") # before those of the system that compiles
endif()
find_program(WASI_CLANG NAMES clang-19 clang ${where} REQUIRED)
find_program(WASI_AR NAMES llvm-ar-19 llvm-ar ${where} REQUIRED)
find_program(WASI_RANLIB NAMES llvm-ranlib-19 llvm-ranlib ${where} REQUIRED)

# What every runtime has: WebAssembly 2.0 without SIMD and reference types. Later
# compilers' own default is more.
set(features "-mcpu=mvp -mbulk-memory -msign-ext -mnontrapping-fptoint -mmutable-globals")

set(CMAKE_C_COMPILER ${WASI_CLANG})
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
if(WASI_SDK_PATH AND EXISTS ${CMAKE_SYSROOT}/lib/wasm32-wasip1) # the same by its later name
  set(CMAKE_C_COMPILER_TARGET wasm32-wasip1)
endif()
set(CMAKE_C_FLAGS_INIT "${headers} ${features}")
set(CMAKE_AR ${WASI_AR})
set(CMAKE_RANLIB ${WASI_RANLIB})

# Programs run where the compiler does.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
