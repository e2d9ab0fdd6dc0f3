#ifndef LCFILE_CJEMALLOC_H
#define LCFILE_CJEMALLOC_H

#include <jemalloc/jemalloc.h>
#include <stdbool.h>
#include <sys/types.h>

// Linking jemalloc makes it the process's malloc, for Swift and for every C library. These set what it does with memory
// that is free; mallctl takes any type by its address, which Swift would have to spell out at each call.

/// Sets a switch; 0 or an error number.
static inline int cjemalloc_set_flag(const char *name, bool value) {
    return mallctl(name, NULL, NULL, &value, sizeof value);
}

/// Sets a number of milliseconds; 0 or an error number.
static inline int cjemalloc_set_time(const char *name, ssize_t value) {
    return mallctl(name, NULL, NULL, &value, sizeof value);
}

#endif
