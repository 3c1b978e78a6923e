#ifndef STANDIN_ZEPHYR_SOCKET_H
#define STANDIN_ZEPHYR_SOCKET_H

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#define zsock_addrinfo addrinfo
#define zsock_getaddrinfo getaddrinfo
#define zsock_freeaddrinfo freeaddrinfo
#define zsock_socket socket
#define zsock_connect connect
#define zsock_close close

#endif
