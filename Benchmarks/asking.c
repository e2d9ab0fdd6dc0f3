// Clients that ask for pictures, none of which was asked for before.
//
//   asking PORT CLIENTS SECONDS MOST FIRST keep|close now|told PATH...
//
// Prints answers with status 200 per second, how many of them, how many with 429, how many others, and their bytes.
//
// The number of each request, from FIRST on, takes the place of NUMBER in its path; paths are asked for in turn.
// At most MOST requests are begun, in at most so many seconds; those begun are waited for, and the time counts. A
// connection stays open (keep) or is closed by the server after each answer (close), so that the next goes to a process
// with nothing to do. After a 429 a client asks again at once (now) or after as long as Retry-After says (told). An
// answer that does not come within 60 seconds after the end or breaks off is an other one.

// For strcasestr.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CLIENTS = 10000, HEAD = 4096, EVENTS = 256, PATIENCE = 60 };

typedef struct {
    int file;
    int waits;    // for an answer
    long got;     // bytes of the head, then the head's own length
    long left;    // bytes of the body; -1 while the head is read
    int status;
    double wake;  // when to ask again
    char head[HEAD + 1];
} Client;

static int port, closes, patient, path_count;
static char **paths;
static long most, number, begun, waiting, good, refused, others, bytes;
static double end;
static Client *clients;
static int poll_file;

static void die(const char *what) {
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void connect_again(Client *client) {
    if (client->file >= 0) close(client->file);
    int file = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (file < 0) die("socket");
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(file, (struct sockaddr *)&address, sizeof address)) die("connect");
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
    if (epoll_ctl(poll_file, EPOLL_CTL_ADD, file, &event)) die("epoll_ctl");
    client->file = file;
}

// Begins the next request, if there is one to begin.
static void ask(Client *client) {
    if (begun >= most || now() >= end) return;
    if (client->file < 0) connect_again(client);
    const char *path = paths[begun % path_count], *place = strstr(path, "NUMBER");
    char line[HEAD];
    int size;
    const char *rest = "Host: 127.0.0.1", *last = closes ? "\r\nConnection: close" : "";
    if (place)
        size = snprintf(line, HEAD, "GET %.*s%ld%s HTTP/1.1\r\n%s%s\r\n\r\n", (int)(place - path), path, number,
                        place + strlen("NUMBER"), rest, last);
    else
        size = snprintf(line, HEAD, "GET %s HTTP/1.1\r\n%s%s\r\n\r\n", path, rest, last);
    if (size >= HEAD) exit(64);
    begun++, number++, waiting++;
    client->waits = 1, client->got = 0, client->left = -1;
    // So short a request always fits; if the server has gone away, reading tells.
    if (send(client->file, line, size, MSG_NOSIGNAL) != size && errno != EPIPE && errno != ECONNRESET) die("send");
}

static void answered(Client *client) {
    client->waits = 0, client->wake = 0;
    waiting--;
    if (client->status == 200) {
        good++;
    } else if (client->status == 429) {
        refused++;
        char *told = patient ? strcasestr(client->head, "\r\nretry-after:") : NULL;
        if (told) client->wake = now() + atof(told + strlen("\r\nretry-after:"));
    } else {
        if (!others) fprintf(stderr, "asking: %.*s\n", (int)strcspn(client->head, "\r"), client->head);
        others++;
    }
    if (closes || strcasestr(client->head, "\r\nconnection: close")) {
        close(client->file);
        client->file = -1;
    }
    if (!client->wake) ask(client);
}

static void broke_off(Client *client) {
    close(client->file);
    client->file = -1;
    if (!client->waits) return;
    if (!others) fprintf(stderr, "asking: an answer broke off\n");
    others++, waiting--;
    client->waits = 0;
    // Not at once: a server that accepts no connection would cause a busy loop.
    client->wake = now() + 0.1;
}

// Takes what has come; a body is counted and thrown away.
static void take(Client *client) {
    static char body[1 << 16];
    if (client->left < 0) {
        ssize_t count = recv(client->file, client->head + client->got, HEAD - client->got, 0);
        if (count <= 0) return broke_off(client);
        client->head[client->got += count] = 0;
        char *blank = strstr(client->head, "\r\n\r\n");
        if (!blank && client->got == HEAD) return broke_off(client);
        if (!blank) return;
        char *announced = strcasestr(client->head, "\r\ncontent-length:");
        if (!client->waits || !announced || announced > blank) return broke_off(client);
        client->status = atoi(client->head + strlen("HTTP/1.1 "));
        long size = atol(announced + strlen("\r\ncontent-length:"));
        client->left = size - (client->head + client->got - blank - 4);
        bytes += size;
        // What follows is not looked at.
        blank[2] = 0;
    } else {
        ssize_t count = recv(client->file, body, sizeof body, 0);
        if (count <= 0) return broke_off(client);
        client->left -= count;
    }
    if (client->left <= 0) answered(client);
}

int main(int count, char **words) {
    if (count < 9) return 64;
    port = atoi(words[1]);
    long client_count = atol(words[2]);
    most = atol(words[4]);
    number = atol(words[5]);
    closes = !strcmp(words[6], "close");
    patient = !strcmp(words[7], "told");
    paths = words + 8;
    path_count = count - 8;
    if (client_count < 1 || client_count > MOST_CLIENTS) return 64;
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    clients = calloc(client_count, sizeof *clients);
    poll_file = epoll_create1(0);
    if (!clients || poll_file < 0) die("epoll");

    for (long i = 0; i < client_count; i++) {
        clients[i].file = -1;
        connect_again(&clients[i]);
    }
    double start = now(), last = start;
    end = start + atof(words[3]);
    for (long i = 0; i < client_count; i++) ask(&clients[i]);
    for (double looked = start; waiting || (begun < most && now() < end);) {
        struct epoll_event events[EVENTS];
        int ready = epoll_wait(poll_file, events, EVENTS, 10);
        if (ready < 0 && errno != EINTR) die("epoll_wait");
        long before = good + refused + others;
        for (int i = 0; i < ready; i++) take(events[i].data.ptr);
        double time = now();
        if (good + refused + others > before) last = time;
        if (time >= end + PATIENCE) {
            others += waiting;
            break;
        }
        if (time < looked + 0.01) continue;
        looked = time;
        for (long i = 0; i < client_count; i++) {
            if (clients[i].waits || !clients[i].wake || clients[i].wake > time) continue;
            clients[i].wake = 0;
            ask(&clients[i]);
        }
    }
    printf("%.3f %ld %ld %ld %ld\n", good / (last - start), good, refused, others, bytes);
    return 0;
}
