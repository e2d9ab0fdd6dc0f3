#ifndef LCFILE_CCRYPT_H
#define LCFILE_CCRYPT_H

#include <crypt.h>
#include <stdlib.h>
#include <string.h>

// `struct crypt_data` is 32 KiB, which Swift imports as a tuple of that many members: it stays on this side.

/// crypt_r(3): copies the hash of a phrase by a setting into `hash` and returns 1, or returns 0 if the setting is none
/// that the library knows, or there is no memory.
static inline int ccrypt_hash(const char *phrase, const char *setting, char hash[CRYPT_OUTPUT_SIZE]) {
    struct crypt_data *data = calloc(1, sizeof *data);
    if (data == NULL) return 0;
    const char *result = crypt_r(phrase, setting, data);
    int known = result != NULL && result[0] != '*' && strlen(result) < CRYPT_OUTPUT_SIZE;
    if (known) strcpy(hash, result);
    explicit_bzero(data, sizeof *data);
    free(data);
    return known;
}

/// The bytes that `ccrypt_hash` may write.
static const int ccrypt_output_size = CRYPT_OUTPUT_SIZE;

#endif
