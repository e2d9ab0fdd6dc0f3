#ifndef LCFILE_CJPEG_H
#define LCFILE_CJPEG_H

#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

// libjpeg tells of a fault by a call that must not return. Each function here is left by longjmp then, over libjpeg's
// own frames only: no frame of Swift or C++ is ever between the setjmp and the longjmp.

/// An image that is decoded line by line.
struct cjpeg_lines {
    struct jpeg_decompress_struct decoder;
    struct jpeg_error_mgr errors;
    jmp_buf fault;
};

static inline void cjpeg_leave(j_common_ptr decoder) {
    struct cjpeg_lines *lines = (struct cjpeg_lines *)decoder->client_data;
    longjmp(lines->fault, 1);
}

/// Warnings, which have levels below 0, are faults: the image is not whole.
static inline void cjpeg_warn(j_common_ptr decoder, int level) {
    if (level < 0) {
        cjpeg_leave(decoder);
    }
}

static inline void cjpeg_be_silent(j_common_ptr decoder) {
    (void)decoder;
}

/// Frees what cjpeg_open made.
static inline void cjpeg_close(struct cjpeg_lines *lines) {
    jpeg_destroy_decompress(&lines->decoder);
    free(lines);
}

/// Reads the header of a file; NULL for any fault, for several scans, all coefficients of which would be kept in memory,
/// and for arithmetic coding, which takes many times as long. The bytes stay there until cjpeg_close.
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

/// Begins to decode at some eighths of the size, each pixel as red, green, blue and a byte of anything, or as grey;
/// whether it could.
static inline int cjpeg_start(struct cjpeg_lines *lines, unsigned eighths, int is_grey) {
    if (setjmp(lines->fault) != 0) {
        return 0;
    }
    lines->decoder.scale_num = eighths;
    lines->decoder.scale_denom = 8;
    lines->decoder.out_color_space = is_grey ? JCS_GRAYSCALE : JCS_EXT_RGBX;
    return jpeg_start_decompress(&lines->decoder) == TRUE;
}

/// Decodes the next line, which has decoder.output_width pixels; whether it could.
static inline int cjpeg_read(struct cjpeg_lines *lines, void *pixels) {
    JSAMPROW row = (JSAMPROW)pixels;
    if (setjmp(lines->fault) != 0) {
        return 0;
    }
    return jpeg_read_scanlines(&lines->decoder, &row, 1) == 1;
}

/// Reads what comes after the last line; whether the file ends as it should.
static inline int cjpeg_finish(struct cjpeg_lines *lines) {
    if (setjmp(lines->fault) != 0) {
        return 0;
    }
    return jpeg_finish_decompress(&lines->decoder) == TRUE;
}

#endif
