#include "model/samediff/write/state.h"

#include "base/status.h"

#define SHOWN 80

const cpb_sd_section cpb_sd_sections[CPB_SD_SECTIONS] = {
    [CPB_SAMEDIFF_PARAMETER] = {"params.txt", "params", false, CPB_SD_PARAMS},
    [CPB_SAMEDIFF_STATE] = {"updater.txt", "updater", true, CPB_SD_UPDATER},
    [CPB_SAMEDIFF_MAP] = {"params_maps.txt", "params_maps", false, CPB_SD_MAPS},
};

/* --- Failing ---------------------------------------------------------------------- */

cpb_span cpb_sd_writer_text(const cpb_samediff_writer *w, cpb_sd_text text) {
  return (cpb_span){text.size > 0 ? w->texts.data + text.at : NULL, text.size};
}

bool cpb_sd_writer_no_memory(cpb_samediff_writer *w) {
  cpb_fail_memory(&w->error);
  return false;
}

bool cpb_sd_writer_misused(cpb_samediff_writer *w, const char *what) {
  cpb_fail(&w->error, CPB_E_USAGE, CPB_NO_OFFSET, "%s", what);
  return false;
}

bool cpb_sd_refuse_tag(cpb_samediff_writer *w, const cpb_sd_new_tag *tag, const char *what) {
  char shown[SHOWN];
  cpb_span name = cpb_sd_writer_text(w, tag->name);
  cpb_fail(&w->error, CPB_E_USAGE, CPB_NO_OFFSET, "tag %s: %s", cpb_quote(shown, sizeof shown, name.data, name.size),
           what);
  return false;
}

bool cpb_sd_refuse_part(cpb_samediff_writer *w, const cpb_sd_new_part *part, const char *what) {
  char shown[SHOWN], shown_tag[SHOWN];
  cpb_span name = cpb_sd_writer_text(w, part->name), tag = cpb_sd_writer_text(w, w->tags[part->tag].name);
  cpb_fail(&w->error, CPB_E_USAGE, CPB_NO_OFFSET, "tag %s, %s: %s",
           cpb_quote(shown_tag, sizeof shown_tag, tag.data, tag.size),
           cpb_quote(shown, sizeof shown, name.data, name.size), what);
  return false;
}
