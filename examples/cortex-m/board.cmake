# Programs for boards of QEMU (board/).
set(BOARD_DIR ${CMAKE_CURRENT_LIST_DIR}/board)

# A processor: an interface library with its flags. Unaligned access is not compiled, as it is
# trapped (board/startup.c).
function(board_processor cpu)
  add_library(${cpu} INTERFACE)
  target_compile_options(${cpu} INTERFACE -mcpu=${cpu} -mthumb ${ARGN} -ffunction-sections -fdata-sections)
  target_link_options(${cpu} INTERFACE -mcpu=${cpu} -mthumb ${ARGN})
endfunction()
board_processor(cortex-m0)
board_processor(cortex-m4 -mno-unaligned-access)

set(BOARD_microbit cortex-m0 256)
set(BOARD_mps2-an386 cortex-m4 4096)

# board_program(<name> <board> <KiB of RAM> <bytes of stack> <source>... LINK <library>...): NAME.elf,
# which gets no more RAM than that.
function(board_program name board ram stack)
  cmake_parse_arguments(PARSE_ARGV 4 program "" "" "LINK;OPTIONS")
  list(GET BOARD_${board} 0 cpu)
  list(GET BOARD_${board} 1 flash)
  set(files)
  foreach(file board.h heap.c job.c memory.c semihosting.c startup.c)
    list(APPEND files ${BOARD_DIR}/${file})
  endforeach()
  set_source_files_properties(${BOARD_DIR}/memory.c PROPERTIES COMPILE_OPTIONS -fno-tree-loop-distribute-patterns)
  add_executable(${name} ${program_UNPARSED_ARGUMENTS} ${files})
  target_include_directories(${name} PRIVATE ${BOARD_DIR}/.. ${BOARD_DIR}/../..)
  target_compile_options(${name} PRIVATE -Wall -Wextra ${program_OPTIONS})
  target_link_libraries(${name} PRIVATE ${program_LINK} ${cpu})
  target_link_options(${name} PRIVATE -nostartfiles --specs=nano.specs -Wl,--gc-sections
    -Wl,--defsym=FLASH_SIZE=${flash}K -Wl,--defsym=RAM_SIZE=${ram}K -Wl,--defsym=STACK_SIZE=${stack}
    -T ${BOARD_DIR}/board.ld)
  set_target_properties(${name} PROPERTIES SUFFIX .elf LINK_DEPENDS ${BOARD_DIR}/board.ld)
endfunction()
