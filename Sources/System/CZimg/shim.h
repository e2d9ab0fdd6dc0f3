#ifndef LCFILE_CZIMG_H
#define LCFILE_CZIMG_H

#include <zimg.h>

/// What every structure begins with. The header makes it with a macro that takes arguments, which Swift does not see.
static inline unsigned czimg_version(void) {
    return ZIMG_API_VERSION;
}

// Swift sees an array in a structure as a tuple, which has no subscript.

/// Says where one plane is read from.
static inline void czimg_set_source(zimg_image_buffer_const *buffer, int index, const void *data, ptrdiff_t stride,
                                    unsigned mask) {
    buffer->plane[index].data = data;
    buffer->plane[index].stride = stride;
    buffer->plane[index].mask = mask;
}

/// Says where one plane is written to.
static inline void czimg_set_target(zimg_image_buffer *buffer, int index, void *data, ptrdiff_t stride, unsigned mask) {
    buffer->plane[index].data = data;
    buffer->plane[index].stride = stride;
    buffer->plane[index].mask = mask;
}

#endif
