/* Which calls count, and which one fails. */
#include "failing.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DESCRIPTORS 65536

static const char *const words[KINDS] = {
    "open", "create", "read", "write", "sync", "rename", "link", "unlink", "mkdir", "truncate", "allocate", "close", "list",
    "send", "status", "map", "times",
};
static struct control *control;
static const char *under;
/* The ends of the paths of open descriptors; empty for those that do not count. */
static char names[DESCRIPTORS][NAME_SIZE];

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("FAILING_CONTROL");
    under = getenv("FAILING_UNDER");
    if (path == NULL || under == NULL) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (file < 0) return;
    void *memory = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    if (memory != MAP_FAILED) control = memory;
}

/* The server's own looks at its disk come at any time; no request depends on them. */
static int is_look(const char *path) {
    const char *name = strrchr(path, '/');
    return name != NULL && (strcmp(name, "/.probe") == 0 || strcmp(name, "/.reserve") == 0 || strcmp(name, "/.lock") == 0);
}

/* The part of a path behind the folder that it lies in; NULL if it counts nowhere. */
static const char *counted(const char *path) {
    if (control == NULL || path == NULL || path[0] != '/' || is_look(path)) return NULL;
    for (const char *folder = under; *folder != '\0';) {
        size_t length = strcspn(folder, ":");
        if (strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0')) {
            return path[length] == '\0' ? "/" : path + length;
        }
        folder += length + (folder[length] == ':');
    }
    return NULL;
}

static int has_end(const char *name) {
    size_t length = strlen(name), end = strnlen(control->end, sizeof control->end);
    return length >= end && memcmp(name + length - end, control->end, end) == 0;
}

enum fate decide(enum kind kind, const char *name) {
    if (!atomic_load(&control->is_on) || !(atomic_load(&control->kinds) >> kind & 1) || !has_end(name)) return PASS;
    unsigned number = atomic_fetch_add(&control->count, 1) + 1;
    if (number <= LOG_SIZE) snprintf(control->log[number - 1], NAME_SIZE, "%s %s", words[kind], name);
    if (number < atomic_load(&control->first) || number > atomic_load(&control->last)) return PASS;
    atomic_fetch_add(&control->failed, 1);
    unsigned error = atomic_load(&control->error);
    if (error == SHORT) return SHORTEN;
    if (error == STOP) {
        kill(getpid(), SIGSTOP);
        return PASS;
    }
    errno = (int)error;
    return FAIL;
}

enum fate decide_path(enum kind kind, const char *path) {
    const char *name = counted(path);
    return name == NULL ? PASS : decide(kind, name);
}

enum fate decide_descriptor(enum kind kind, int descriptor) {
    if (control == NULL || descriptor < 0 || descriptor >= DESCRIPTORS || names[descriptor][0] == '\0') return PASS;
    return decide(kind, names[descriptor]);
}

int remember(int descriptor, const char *path) {
    const char *name = counted(path);
    if (name == NULL || descriptor < 0 || descriptor >= DESCRIPTORS) return descriptor;
    size_t length = strlen(name);
    strcpy(names[descriptor], length < NAME_SIZE ? name : name + length - NAME_SIZE + 1);
    return descriptor;
}

int copy_name(int from, int to) {
    if (to < 0 || to >= DESCRIPTORS || from < 0 || from >= DESCRIPTORS || from == to) return to;
    memcpy(names[to], names[from], NAME_SIZE);
    return to;
}

void forget(int descriptor) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS) names[descriptor][0] = '\0';
}

size_t shortened(enum fate fate, size_t length) {
    return fate == SHORTEN && length > 1 ? length / 2 : length;
}
