#include "cli/check_merge.h"

#include "cli/threads.h"

cli_comparison cli_compare(cli *c, const cpb_index *index, const cpb_message_type *type, cpb_file *cpb,
                           cpb_file *against) {
  cli_comparison result;
  cpb_file_options options = cli_transfer_options(c, "verifying");
  options.type = type;
  options.threads = cli_threads(c, c->settings.input, cli_size_of_chunks(index));
  cpb_transfer_compare(cpb, index, against, &options, &result.of, &result.error);
  cli_progress_end(c);
  return result;
}
