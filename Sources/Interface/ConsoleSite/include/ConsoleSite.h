#ifndef CONSOLE_SITE_H
#define CONSOLE_SITE_H

#include <stddef.h>
#include <stdint.h>

/// A file of the console's site; all pointers are valid for ever.
struct console_file {
    /// The path in the folder Site: "scripts/start.js".
    const char *path;
    const uint8_t *bytes;
    size_t size;
};

/// All files of the site.
///
/// `count` gets their number.
const struct console_file *console_files(size_t *count);

#endif
