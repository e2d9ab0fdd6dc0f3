#ifndef LCFILE_CCRYPT_H
#define LCFILE_CCRYPT_H

#include <crypt.h>
#include <stdlib.h>
#include <string.h>

// `struct crypt_data` has 32 KiB. Swift would import it as a tuple of 32 768 members, so only C code uses it.

/// crypt_r(3): writes the hash of a phrase with a setting into `hash` and returns 1. Returns 0 if the library does not
/// know the setting or no memory is left.
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

/// The size of the hash buffer in bytes.
static const int ccrypt_output_size = CRYPT_OUTPUT_SIZE;

#endif
