#ifndef LCFILE_CZIMG_H
#define LCFILE_CZIMG_H

#include <zimg.h>

/// Returns the API version with which every zimg structure starts. The header defines it by a macro with arguments,
/// which Swift does not import.
static inline unsigned czimg_version(void) {
    return ZIMG_API_VERSION;
}

// Swift imports an array member as a tuple, which has no subscript.

/// Sets the memory from which one plane is read.
static inline void czimg_set_source(zimg_image_buffer_const *buffer, int index, const void *data, ptrdiff_t stride,
                                    unsigned mask) {
    buffer->plane[index].data = data;
    buffer->plane[index].stride = stride;
    buffer->plane[index].mask = mask;
}

/// Sets the memory to which one plane is written.
static inline void czimg_set_target(zimg_image_buffer *buffer, int index, void *data, ptrdiff_t stride, unsigned mask) {
    buffer->plane[index].data = data;
    buffer->plane[index].stride = stride;
    buffer->plane[index].mask = mask;
}

#endif
