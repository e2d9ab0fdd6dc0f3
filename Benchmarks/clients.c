// Clients that upload one small file after the other, each on a connection of its own that stays open.
//
//   clients PORT HEADERS CLIENTS BYTES FILES SECONDS put|both|form|list   prints files per second, and how many
//
// put:  S3 PUT to addresses that were asked for beforehand, which is not timed
// both: asks for the address, then the PUT
// form: a multipart form with the file in it
// list: S3 PUT to presigned paths with query strings, one on each line of standard input, which is read beforehand
//
// HEADERS are the lines with the app's credentials. At most so many files, in at most so many seconds. Any answer but
// 200, or 201 to a POST, ends the program, and so does a server that is silent for 30 seconds.

// For strcasestr.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CLIENTS = 256, HEAD = 2048, ANSWER = 8192, ADDRESS = 512 };

static int port;
static const char *headers, *mode;
static long size, files;
static double end;
static atomic_long next, stored;
static char *bytes, *form;
static long form_size;
static char (*addresses)[ADDRESS];
static int sockets[MOST_CLIENTS];

static void die(const char *what) {
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static int connected(void) {
    int file = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct timeval patience = {.tv_sec = 30};
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(file, (struct sockaddr *)&address, sizeof address)) die("connect");
    return file;
}

// Sends a request and reads the whole answer, which the buffer then holds as text.
static void ask(int file, const char *method, const char *path, const char *more, const char *body, long length,
                char *answer) {
    char head[HEAD];
    int head_size = snprintf(head, HEAD, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%sContent-Length: %ld\r\n\r\n", method,
                             path, port, more, length);
    struct iovec pieces[2] = {{head, head_size}, {(void *)body, length}};
    for (long left = head_size + length; left > 0;) {
        ssize_t count = writev(file, pieces, 2);
        if (count < 0) die("write");
        left -= count;
        for (int i = 0; i < 2; i++) {
            size_t taken = (size_t)count < pieces[i].iov_len ? (size_t)count : pieces[i].iov_len;
            pieces[i].iov_base = (char *)pieces[i].iov_base + taken;
            pieces[i].iov_len -= taken;
            count -= taken;
        }
    }
    long got = 0, whole = -1;
    while (whole < 0 || got < whole) {
        ssize_t count = read(file, answer + got, ANSWER - 1 - got);
        if (count <= 0) die("read");
        answer[got += count] = 0;
        char *body_start = strstr(answer, "\r\n\r\n");
        if (whole >= 0 || !body_start) continue;
        char *announced = strcasestr(answer, "\r\ncontent-length:");
        if (!announced || announced > body_start) break;
        whole = body_start + 4 - answer + atol(announced + strlen("\r\ncontent-length:"));
    }
    int status = atoi(answer + strlen("HTTP/1.1 "));
    int accepted = status == 200 || (status == 201 && !strcmp(method, "POST"));
    if (got != whole || !accepted) {
        fprintf(stderr, "clients: %s %s: %s\n", method, path, answer);
        exit(1);
    }
}

static void ask_for_address(int file, char *address) {
    char more[HEAD], body[128], answer[ANSWER];
    snprintf(more, HEAD, "%sContent-Type: application/json\r\n", headers);
    int length = snprintf(body, sizeof body, "{\"name\":\"small.bin\",\"metaData\":{\"size\":%ld}}", size);
    ask(file, "POST", "/1.1/fileTokens", more, body, length, answer);
    char *found = strstr(answer, "\"upload_url\":\"http://");
    char *path = found ? strchr(found + strlen("\"upload_url\":\"http://"), '/') : NULL;
    if (!path || sscanf(path, "%511[^\"]", address) != 1) {
        fprintf(stderr, "clients: no upload_url: %s\n", answer);
        exit(1);
    }
}

static void put(int file, const char *address) {
    char answer[ANSWER];
    ask(file, "PUT", address, "Content-Type: application/octet-stream\r\n", bytes, size, answer);
}

static void send_form(int file) {
    char more[HEAD], answer[ANSWER];
    snprintf(more, HEAD, "%sContent-Type: multipart/form-data; boundary=bytes\r\n", headers);
    ask(file, "POST", "/1.1/files", more, form, form_size, answer);
}

static void *prepare(void *argument) {
    for (long number; (number = next++) < files;) ask_for_address(*(int *)argument, addresses[number]);
    return NULL;
}

// Reads at most `files` lines, and sets `files` to their number.
static void read_addresses(void) {
    long count = 0;
    for (; count < files && fgets(addresses[count], ADDRESS, stdin); count++) {
        char *end_of_line = strchr(addresses[count], '\n');
        if (!end_of_line) {
            fprintf(stderr, "clients: line %ld must end and be shorter than %d bytes\n", count + 1, ADDRESS);
            exit(1);
        }
        *end_of_line = 0;
    }
    files = count;
}

static void *work(void *argument) {
    int file = *(int *)argument;
    for (long number; now() < end && (number = next++) < files; stored++) {
        char address[ADDRESS];
        switch (*mode) {
        case 'p':
        case 'l': put(file, addresses[number]); break;
        case 'b':
            ask_for_address(file, address);
            put(file, address);
            break;
        default: send_form(file);
        }
    }
    return NULL;
}

static void all(long clients, void *(*task)(void *)) {
    pthread_t ids[MOST_CLIENTS];
    next = 0;
    for (long i = 0; i < clients; i++) {
        if (pthread_create(&ids[i], NULL, task, &sockets[i])) die("pthread_create");
    }
    for (long i = 0; i < clients; i++) pthread_join(ids[i], NULL);
}

int main(int count, char **words) {
    if (count != 8) return 64;
    port = atoi(words[1]);
    headers = words[2];
    long clients = atol(words[3]);
    size = atol(words[4]);
    files = atol(words[5]);
    mode = words[7];
    if (clients < 1 || clients > MOST_CLIENTS || size < 1 || !strchr("pbfl", *mode)) return 64;
    form = malloc(size + 512);
    addresses = calloc(files, ADDRESS);
    if (!form || !addresses) die("malloc");
    bytes = form + sprintf(form, "--bytes\r\nContent-Disposition: form-data; name=\"file\"; filename=\"small.bin\"\r\n"
                                 "Content-Type: application/octet-stream\r\n\r\n");
    // As in synced.c.
    uint64_t random = 88172645463325252u;
    for (long i = 0; i < size; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        bytes[i] = (char)random;
    }
    form_size = bytes + size - form;
    form_size += sprintf(form + form_size, "\r\n--bytes--\r\n");

    for (long i = 0; i < clients; i++) sockets[i] = connected();
    if (*mode == 'p') all(clients, prepare);
    if (*mode == 'l') read_addresses();
    sync();
    double start = now();
    end = start + atof(words[6]);
    all(clients, work);
    double elapsed = now() - start;
    printf("%.2f %ld\n", stored / elapsed, (long)stored);
    return 0;
}
