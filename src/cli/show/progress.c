#include <stdio.h>

#include "cli/cli.h"
#include "cli/os/os.h"

#define FIRST_AFTER 0.5
#define EVERY 0.1
#define BAR_WIDTH 24

static const char *human(char *out, size_t size, double bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < sizeof units / sizeof *units) {
    bytes /= 1024;
    unit++;
  }
  snprintf(out, size, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
  return out;
}

static void draw_bar(double part) {
  int full = (int)(part * BAR_WIDTH);
  fputc('[', stderr);
  for (int i = 0; i < BAR_WIDTH; i++) fputc(i < full ? '#' : '.', stderr);
  fprintf(stderr, "] %3d%%  ", (int)(part * 100));
}

static void draw(cli_progress *p, double passed, uint64_t done, uint64_t total) {
  char amount[32], rate[32];
  fprintf(stderr, "\r%s ", p->doing);
  if (total) draw_bar((double)done / (double)total);
  fprintf(stderr, "%s  %s/s", human(amount, sizeof amount, (double)done),
          human(rate, sizeof rate, (double)done / passed));
  if (total && done) {
    unsigned left = (unsigned)(passed * (double)(total - done) / (double)done + 0.5);
    fprintf(stderr, "  %u:%02u left", left / 60, left % 60);
  }
  fputs("\033[K", stderr);
  fflush(stderr);
  p->shown = true;
}

void cli_progress_start(cli *c, const char *doing) {
  c->progress = (cli_progress){0};
  if (c->settings.quiet || !os_is_terminal(2)) return;
  c->progress.doing = doing;
  c->progress.start = os_seconds();
}

void cli_progress_step(cli *c, uint64_t done, uint64_t total) {
  cli_progress *p = &c->progress;
  if (!p->doing) return;
  double now = os_seconds();
  if (now - p->start < FIRST_AFTER || now - p->last < EVERY) return;
  p->last = now;
  if (total && done > total) done = total;
  draw(p, now - p->start, done, total);
}

void cli_progress_read(cli *c, cpb_file *file) {
  if (!c->progress.doing) return;
  cpb_error error;
  uint64_t total = 0;
  if (!cpb_file_is_pipe(file)) cpb_file_size(file, &total, &error);
  cli_progress_step(c, cpb_file_bytes_read(file), total);
}

void cli_progress_end(cli *c) {
  if (c->progress.shown) fputs("\r\033[K", stderr);
  c->progress = (cli_progress){0};
}
