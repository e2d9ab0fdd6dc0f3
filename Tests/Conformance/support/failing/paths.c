/* The calls that name files. */
#define _GNU_SOURCE
#include "failing.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel is called directly, so that no symbol has to be looked up while the program is being loaded. */
static int opening(int folder, const char *path, int flags, mode_t mode) {
    if (decide_path(flags & O_CREAT ? CREATE : OPEN, path) == FAIL) return -1;
    return remember((int)syscall(SYS_openat, folder, path, flags, mode), path);
}

#define OPENING(name, arguments, last, folder) \
    int name arguments { \
        mode_t mode = 0; \
        if (flags & (O_CREAT | O_TMPFILE)) { \
            va_list rest; \
            va_start(rest, last); \
            mode = va_arg(rest, mode_t); \
            va_end(rest); \
        } \
        return opening(folder, path, flags, mode); \
    }

OPENING(open, (const char *path, int flags, ...), flags, AT_FDCWD)
OPENING(open64, (const char *path, int flags, ...), flags, AT_FDCWD)
OPENING(openat, (int folder, const char *path, int flags, ...), flags, folder)
OPENING(openat64, (int folder, const char *path, int flags, ...), flags, folder)

#define CALL(kind, path, ...) decide_path(kind, path) == FAIL ? -1 : (int)syscall(__VA_ARGS__)

int renameat(int from, const char *old, int to, const char *new) {
    return CALL(RENAME, old, SYS_renameat2, from, old, to, new, 0);
}
int rename(const char *old, const char *new) { return renameat(AT_FDCWD, old, AT_FDCWD, new); }
int linkat(int from, const char *old, int to, const char *new, int flags) {
    return CALL(LINK, new, SYS_linkat, from, old, to, new, flags);
}
int link(const char *old, const char *new) { return linkat(AT_FDCWD, old, AT_FDCWD, new, 0); }
int unlinkat(int folder, const char *path, int flags) { return CALL(UNLINK, path, SYS_unlinkat, folder, path, flags); }
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int mkdir(const char *path, mode_t mode) { return CALL(MKDIR, path, SYS_mkdirat, AT_FDCWD, path, mode); }
int access(const char *path, int mode) { return CALL(STATUS, path, SYS_faccessat, AT_FDCWD, path, mode); }

/* On 64-bit machines both kinds of `struct stat` are the kernel's. */
int stat(const char *path, struct stat *status) { return CALL(STATUS, path, SYS_newfstatat, AT_FDCWD, path, status, 0); }
int stat64(const char *path, struct stat64 *status) { return stat(path, (struct stat *)status); }
int lstat(const char *path, struct stat *status) {
    return CALL(STATUS, path, SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
int lstat64(const char *path, struct stat64 *status) { return lstat(path, (struct stat *)status); }

DIR *opendir(const char *path) {
    static DIR *(*next)(const char *);
    if (next == NULL) next = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
    if (decide_path(LIST, path) == FAIL) return NULL;
    DIR *folder = next(path);
    if (folder != NULL) remember(dirfd(folder), path);
    return folder;
}

int closedir(DIR *folder) {
    static int (*next)(DIR *);
    if (next == NULL) next = (int (*)(DIR *))dlsym(RTLD_NEXT, "closedir");
    forget(dirfd(folder));
    return next(folder);
}

/* Null is also the end of a folder, so a failure is told by `errno` alone. */
#define READING(name, type) \
    struct type *name(DIR *folder) { \
        static struct type *(*next)(DIR *); \
        if (next == NULL) next = (struct type * (*)(DIR *)) dlsym(RTLD_NEXT, #name); \
        return decide_descriptor(LIST, dirfd(folder)) == FAIL ? NULL : next(folder); \
    }

READING(readdir, dirent)
READING(readdir64, dirent64)
