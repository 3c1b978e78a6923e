/* What stands for Zephyr and ESP-IDF in the tests of their samples: as much of their interfaces as the samples use,
 * above files and sockets of the system. What menuconfig would set comes from the environment, without CONFIG_. */
#ifndef STANDIN_H
#define STANDIN_H

#include <stddef.h>
#include <stdint.h>

const char *standin_text(const char *name);
unsigned long standin_number(const char *name);

#define CONFIG_SAMPLE_MODEL_SIZE standin_number("SAMPLE_MODEL_SIZE")
#define CONFIG_SAMPLE_MODEL_SHA256 standin_text("SAMPLE_MODEL_SHA256")
#define CONFIG_SAMPLE_FIELD standin_text("SAMPLE_FIELD")
#define CONFIG_SAMPLE_CHUNK standin_number("SAMPLE_CHUNK")
#define CONFIG_SAMPLE_MEMORY standin_number("SAMPLE_MEMORY")
#define CONFIG_SAMPLE_HTTP_HOST "127.0.0.1"
#define CONFIG_SAMPLE_HTTP_PORT standin_text("SAMPLE_HTTP_PORT")
#define CONFIG_SAMPLE_HTTP_PATH standin_text("SAMPLE_HTTP_PATH")
#define CONFIG_SAMPLE_URL standin_text("SAMPLE_URL")
#define CONFIG_SAMPLE_FILE "model.cpb"
#define CONFIG_SAMPLE_READ_SIZE 1024
#define CONFIG_SAMPLE_HEAP_SIZE 147456
#define CONFIG_SAMPLE_SD_CS 13
#define CONFIG_SAMPLE_SD_CLK 14
#define CONFIG_SAMPLE_SD_MOSI 15
#define CONFIG_SAMPLE_SD_MISO 2

/* Reads from the file that stands for flash, FLASH in the environment. 0, or -1: there are not so many bytes. */
int standin_flash_read(uint64_t offset, void *out, size_t length);
size_t standin_flash_size(void);

/* A connection, or -1. */
int standin_connect(const char *host, const char *port);

/* A line of a response's headers, without CR and LF, into `line`. How many bytes it has, or -1 at the end. */
int standin_line(int connection, char *line, size_t size);

/* "206" and so on of the first line; 0: none. */
int standin_status(const char *line);

/* What follows the name and the colon of a header, or NULL if it is another. */
const char *standin_header(const char *line, const char *name);

#endif
