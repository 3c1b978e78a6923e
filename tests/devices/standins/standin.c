#include "standin.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

const char *standin_text(const char *name) {
  const char *text = getenv(name);
  return text ? text : "";
}

unsigned long standin_number(const char *name) { return strtoul(standin_text(name), NULL, 10); }

static FILE *flash(void) {
  static FILE *file;
  if (!file) file = fopen(standin_text("FLASH"), "rb");
  if (!file) abort();
  return file;
}

int standin_flash_read(uint64_t offset, void *out, size_t length) {
  if (fseek(flash(), (long)offset, SEEK_SET) != 0) return -1;
  return fread(out, 1, length, flash()) == length ? 0 : -1;
}

size_t standin_flash_size(void) { return fseek(flash(), 0, SEEK_END) == 0 ? (size_t)ftell(flash()) : 0; }

int standin_connect(const char *host, const char *port) {
  const struct addrinfo how = {.ai_socktype = SOCK_STREAM};
  struct addrinfo *found;
  if (getaddrinfo(host, port, &how, &found) != 0) return -1;
  int s = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
  if (s >= 0 && connect(s, found->ai_addr, found->ai_addrlen) != 0) {
    close(s);
    s = -1;
  }
  freeaddrinfo(found);
  return s;
}

int standin_line(int connection, char *line, size_t size) {
  size_t length = 0;
  while (length + 1 < size && recv(connection, line + length, 1, 0) == 1) {
    if (line[length] != '\n') {
      length++;
      continue;
    }
    if (length > 0 && line[length - 1] == '\r') length--;
    line[length] = '\0';
    return (int)length;
  }
  return -1;
}

int standin_status(const char *line) {
  int status;
  return sscanf(line, "HTTP/1.1 %d", &status) == 1 ? status : 0;
}

const char *standin_header(const char *line, const char *name) {
  size_t length = strlen(name);
  if (strncasecmp(line, name, length) != 0 || line[length] != ':') return NULL;
  return line + length + 1 + strspn(line + length + 1, " ");
}
