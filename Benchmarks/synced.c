// The yardstick for small durable uploads: threads that each make one new file after the other, write and sync it.
//
//   synced FOLDER THREADS BYTES FILES SECONDS each|one   prints files per second, and how many
//
// Each thread has a folder of its own, or all have one. At most so many files, in at most so many seconds. They stay: on
// ext4 without a journal, a new file costs a search past every file that was deleted in the last minutes.

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 256 };

static const char *folder;
static int each;
static char *bytes;
static long size, files;
static double end;
static atomic_long next, made;

static void die(const char *what) {
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void folder_of(long thread, char *path) { snprintf(path, PATH_MAX, "%s/%ld", folder, each ? thread : 0); }

static void name(long thread, long number, char *path) {
    folder_of(thread, path);
    size_t length = strlen(path);
    snprintf(path + length, PATH_MAX - length, "/%ld-%ld", thread, number);
}

static void *work(void *argument) {
    long thread = (long)(intptr_t)argument, number = 0;
    char path[PATH_MAX];
    while (now() < end && next++ < files) {
        name(thread, number++, path);
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (file < 0) die(path);
        for (long written = 0, count; written < size; written += count) {
            if ((count = write(file, bytes + written, size - written)) < 0) die("write");
        }
        if (fdatasync(file)) die("fdatasync");
        close(file);
        made++;
    }
    return NULL;
}

int main(int count, char **words) {
    if (count != 7) return 64;
    folder = words[1];
    long threads = atol(words[2]);
    size = atol(words[3]);
    files = atol(words[4]);
    each = !strcmp(words[6], "each");
    if (threads < 1 || threads > MOST_THREADS || size < 1) return 64;
    if (!(bytes = malloc(size))) die("malloc");
    // No zeros, which a disk may know how to store for nothing.
    uint64_t random = 88172645463325252u;
    for (long i = 0; i < size; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        bytes[i] = (char)random;
    }
    char path[PATH_MAX];
    long folders = each ? threads : 1;
    for (long i = 0; i < folders; i++) {
        folder_of(i, path);
        if (mkdir(path, 0700)) die(path);
    }
    sync();

    pthread_t ids[MOST_THREADS];
    double start = now();
    end = start + atof(words[5]);
    for (long i = 0; i < threads; i++) {
        if (pthread_create(&ids[i], NULL, work, (void *)(intptr_t)i)) die("pthread_create");
    }
    for (long i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    double elapsed = now() - start;
    printf("%.2f %ld\n", made / elapsed, (long)made);
    return 0;
}
