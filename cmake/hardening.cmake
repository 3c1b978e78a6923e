# What makes errors in memory harder to exploit, where compiler, linker and C library have it.
# It holds for all that is built in this directory and below, as part of another project, too,
# and not for what links it: nothing of it is exported.
option(CPB_HARDENING "Compile with stack protection, checks of buffer sizes and control flow; relocations read-only" ON)
if(NOT CPB_HARDENING OR CPB_WASM)
  return()
endif()
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)

foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection -mbranch-protection=standard)
  string(MAKE_C_IDENTIFIER CPB_HAS${flag} has)
  check_c_compiler_flag("${flag};-Werror" ${has}) # clang only warns of what it does not have
  if(${has})
    add_compile_options(${flag})
  endif()
endforeach()
foreach(flag -Wl,-z,relro -Wl,-z,now)
  string(MAKE_C_IDENTIFIER CPB_HAS${flag} has)
  check_linker_flag(C ${flag} ${has})
  if(${has})
    add_link_options(${flag})
  endif()
endforeach()
if(NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-static")
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES C) # then CMAKE_POSITION_INDEPENDENT_CODE is for programs, too
endif()

# Needs optimization; the sanitizers do more. A distribution's own level may be lower. glibc warns
# of a level that it does not have.
if(NOT CPB_SANITIZE AND NOT CMAKE_C_FLAGS MATCHES "-fsanitize" AND NOT CPB_COVERAGE)
  foreach(level 3 2)
    set(fortify -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level})
    set(CMAKE_REQUIRED_FLAGS "-O2 -Werror")
    set(CMAKE_REQUIRED_DEFINITIONS ${fortify})
    check_c_source_compiles("#include <string.h>\nint main(void) { return 0; }" CPB_HAS_FORTIFY_${level})
    unset(CMAKE_REQUIRED_FLAGS)
    unset(CMAKE_REQUIRED_DEFINITIONS)
    if(CPB_HAS_FORTIFY_${level})
      foreach(define IN LISTS fortify)
        add_compile_options($<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:${define}>)
      endforeach()
      break()
    endif()
  endforeach()
endif()
