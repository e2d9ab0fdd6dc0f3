#ifndef LCFILE_CJPEG_H
#define LCFILE_CJPEG_H

#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

// libjpeg reports an error by a callback that must not return. Each function here leaves the callback by longjmp, which
// crosses only frames of libjpeg: no Swift or C++ frame is ever between setjmp and longjmp.

/// A JPEG decoder that returns one line at a time.
struct cjpeg_lines {
    struct jpeg_decompress_struct decoder;
    struct jpeg_error_mgr errors;
    jmp_buf fault;
};

static inline void cjpeg_leave(j_common_ptr decoder) {
    struct cjpeg_lines *lines = (struct cjpeg_lines *)decoder->client_data;
    longjmp(lines->fault, 1);
}

/// Treats warnings, whose levels are negative, as errors: the image is incomplete.
static inline void cjpeg_warn(j_common_ptr decoder, int level) {
    if (level < 0) {
        cjpeg_leave(decoder);
    }
}

static inline void cjpeg_be_silent(j_common_ptr decoder) {
    (void)decoder;
}

/// Frees the decoder that cjpeg_open returned.
static inline void cjpeg_close(struct cjpeg_lines *lines) {
    jpeg_destroy_decompress(&lines->decoder);
    free(lines);
}

/// Reads the header of a file. Returns NULL for an error, for several scans (libjpeg would store all their coefficients
/// in memory), and for arithmetic coding (which takes many times as long). The bytes must stay valid until cjpeg_close.
static inline struct cjpeg_lines *cjpeg_open(const unsigned char *bytes, size_t count) {
    struct cjpeg_lines *lines = (struct cjpeg_lines *)calloc(1, sizeof(struct cjpeg_lines));
    if (lines == NULL) {
        return NULL;
    }
    lines->decoder.err = jpeg_std_error(&lines->errors);
    lines->decoder.client_data = lines;
    lines->errors.error_exit = cjpeg_leave;
    lines->errors.emit_message = cjpeg_warn;
    lines->errors.output_message = cjpeg_be_silent;
    if (setjmp(lines->fault) != 0) {
        cjpeg_close(lines);
        return NULL;
    }
    jpeg_create_decompress(&lines->decoder);
    jpeg_mem_src(&lines->decoder, bytes, count);
    jpeg_read_header(&lines->decoder, TRUE);
    if (jpeg_has_multiple_scans(&lines->decoder) || lines->decoder.arith_code) {
        cjpeg_close(lines);
        return NULL;
    }
    return lines;
}

/// Starts decoding at a scale of `eighths`/8, to pixels of red, green, blue and an unused byte, or to grey pixels.
/// Returns 0 on failure.
static inline int cjpeg_start(struct cjpeg_lines *lines, unsigned eighths, int is_grey) {
    if (setjmp(lines->fault) != 0) {
        return 0;
    }
    lines->decoder.scale_num = eighths;
    lines->decoder.scale_denom = 8;
    lines->decoder.out_color_space = is_grey ? JCS_GRAYSCALE : JCS_EXT_RGBX;
    return jpeg_start_decompress(&lines->decoder) == TRUE;
}

/// Decodes the next line, of decoder.output_width pixels. Returns 0 on failure.
static inline int cjpeg_read(struct cjpeg_lines *lines, void *pixels) {
    JSAMPROW row = (JSAMPROW)pixels;
    if (setjmp(lines->fault) != 0) {
        return 0;
    }
    return jpeg_read_scanlines(&lines->decoder, &row, 1) == 1;
}

/// Reads the data after the last line. Returns 0 if the file does not end correctly.
static inline int cjpeg_finish(struct cjpeg_lines *lines) {
    if (setjmp(lines->fault) != 0) {
        return 0;
    }
    return jpeg_finish_decompress(&lines->decoder) == TRUE;
}

#endif
