#ifndef LCFILE_CJEMALLOC_H
#define LCFILE_CJEMALLOC_H

#include <jemalloc/jemalloc.h>
#include <stdbool.h>
#include <sys/types.h>

// Linking jemalloc makes it the malloc of the process, for Swift and for every C library. These shims set how it treats
// free memory: mallctl takes values of any type by address, which needs more code in Swift.

/// Sets a boolean option; returns 0 or an error number.
static inline int cjemalloc_set_flag(const char *name, bool value) {
    return mallctl(name, NULL, NULL, &value, sizeof value);
}

/// Sets an option in milliseconds; returns 0 or an error number.
static inline int cjemalloc_set_time(const char *name, ssize_t value) {
    return mallctl(name, NULL, NULL, &value, sizeof value);
}

/// Gets an option in milliseconds; returns 0 or an error number.
static inline int cjemalloc_get_time(const char *name, ssize_t *value) {
    size_t size = sizeof *value;
    return mallctl(name, value, &size, NULL, 0);
}

/// The number of arenas that exist or can be created; 0 if it is unknown.
static inline unsigned cjemalloc_arenas(void) {
    unsigned count = 0;
    size_t size = sizeof count;
    return mallctl("arenas.narenas", &count, &size, NULL, 0) == 0 ? count : 0;
}

#endif
