#ifndef LCFILE_CVIPS_H
#define LCFILE_CVIPS_H

#include <gmodule.h>
#include <pango/pangocairo.h>
#include <string.h>
#include <vips/vips.h>

// Most operations of libvips are variadic, and Swift cannot call variadic functions: one shim with fixed arguments for
// each operation in use. Every argument list ends with NULL; without it the code compiles and corrupts memory, so check
// that first in a review.

// MARK: Starting

/// Loads a module of libvips, whose formats are then known, for the rest of the process; 0 or, with an error, -1. All
/// its symbols are bound at once, so that the tables of addresses can be made read-only before an image is read.
static inline int cvips_load_module(const char *path) {
    if (g_module_open(path, (GModuleFlags)0) == NULL) {
        vips_error("module", "%s", g_module_error());
        return -1;
    }
    return 0;
}

// MARK: Reading

typedef gint64 (*cvips_read)(VipsSourceCustom *source, void *buffer, gint64 length, void *data);
typedef gint64 (*cvips_seek)(VipsSourceCustom *source, gint64 offset, int whence, void *data);

/// Creates a source that reads its bytes from the callbacks; releases `data` when the source is freed.
static inline VipsSource *cvips_source_new(cvips_read read, cvips_seek seek, void *data, GClosureNotify release) {
    VipsSourceCustom *source = vips_source_custom_new();
    g_signal_connect_data(source, "read", G_CALLBACK(read), data, NULL, (GConnectFlags)0);
    g_signal_connect_data(source, "seek", G_CALLBACK(seek), data, release, (GConnectFlags)0);
    return VIPS_SOURCE(source);
}

/// Opens the header of a source; pixels are decoded later, from top to bottom. `options` are the loader's own: "[n=-1]"
/// or "".
static inline VipsImage *cvips_new_from_source(VipsSource *source, const char *options) {
    return vips_image_new_from_source(source, options, "access", VIPS_ACCESS_SEQUENTIAL, NULL);
}

/// Resamples to exactly this size while loading. Converts an embedded colour profile to sRGB if `has_profile`, which must
/// only be set for a profile of the image's colour model: libvips 8.14 assumes a wrong colour space for an image without
/// a profile. A truncated image is an error, not a grey area; 8.14 passes this setting to the loader only in the option
/// string.
static inline int cvips_thumbnail_source(VipsSource *source, VipsImage **out, int width, int height,
                                         const char *options, gboolean no_rotate, gboolean linear,
                                         gboolean has_profile) {
    if (!has_profile)
        return vips_thumbnail_source(source, out, width, "height", height, "size", VIPS_SIZE_FORCE, "no_rotate",
                                     no_rotate, "linear", linear, "option_string", options, NULL);
    return vips_thumbnail_source(source, out, width, "height", height, "size", VIPS_SIZE_FORCE, "no_rotate", no_rotate,
                                 "linear", linear, "export_profile", "srgb", "option_string", options, NULL);
}

/// Resamples an open image as cvips_thumbnail_source does.
static inline int cvips_thumbnail_image(VipsImage *in, VipsImage **out, int width, int height, gboolean linear,
                                        gboolean has_profile) {
    if (!has_profile)
        return vips_thumbnail_image(in, out, width, "height", height, "size", VIPS_SIZE_FORCE, "no_rotate", TRUE,
                                    "linear", linear, NULL);
    return vips_thumbnail_image(in, out, width, "height", height, "size", VIPS_SIZE_FORCE, "no_rotate", TRUE, "linear",
                                linear, "export_profile", "srgb", NULL);
}

/// Creates an 8-bit grey or sRGB image in memory with uninitialized pixels; its rows, without padding, start at
/// `pixels`.
static inline VipsImage *cvips_new_pixels(int width, int height, int bands, void **pixels) {
    VipsImage *image = vips_image_new_memory();
    if (image == NULL) {
        return NULL;
    }
    VipsInterpretation interpretation = bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
    vips_image_init_fields(image, width, height, bands, VIPS_FORMAT_UCHAR, VIPS_CODING_NONE, interpretation, 1, 1);
    if (vips_image_write_prepare(image)) {
        g_object_unref(image);
        return NULL;
    }
    *pixels = VIPS_IMAGE_ADDR(image, 0, 0);
    return image;
}

/// Copies the colour profile of one image to another one, if it has a profile.
static inline void cvips_copy_profile(VipsImage *from, VipsImage *to) {
    const void *profile;
    size_t size;
    if (vips_image_get_typeof(from, VIPS_META_ICC_NAME) && !vips_image_get_blob(from, VIPS_META_ICC_NAME, &profile, &size))
        vips_image_set_blob_copy(to, VIPS_META_ICC_NAME, profile, size);
}

static inline int cvips_has_profile(VipsImage *image) {
    return vips_image_get_typeof(image, VIPS_META_ICC_NAME) != 0;
}

/// Whether the image has a colour profile of its own colour model, by the header of the profile (ICC.1:2010, section
/// 7.2). libvips 8.14 compares only the number of channels, and accepts a grey profile for any image.
static inline int cvips_has_fitting_profile(VipsImage *image) {
    const void *profile;
    size_t size;
    if (vips_image_get_typeof(image, VIPS_META_ICC_NAME) != VIPS_TYPE_BLOB ||
        vips_image_get_blob(image, VIPS_META_ICC_NAME, &profile, &size) || size < 128 ||
        memcmp((const char *)profile + 36, "acsp", 4) != 0)
        return 0;
    const char *model;
    switch (vips_image_guess_interpretation(image)) {
    case VIPS_INTERPRETATION_B_W:
    case VIPS_INTERPRETATION_GREY16:
        model = "GRAY";
        break;
    case VIPS_INTERPRETATION_sRGB:
    case VIPS_INTERPRETATION_RGB:
    case VIPS_INTERPRETATION_RGB16:
    case VIPS_INTERPRETATION_scRGB:
        model = "RGB ";
        break;
    case VIPS_INTERPRETATION_CMYK:
        model = "CMYK";
        break;
    default:
        return 0;
    }
    return memcmp((const char *)profile + 16, model, 4) == 0;
}

/// Converts the colours of an image with a profile to sRGB, whose profile the result has. 16 bits stay 16 bits, because
/// libvips 8.14 does not scale their transparency to 8.
static inline int cvips_icc_transform_srgb(VipsImage *in, VipsImage **out) {
    int depth = in->BandFmt == VIPS_FORMAT_USHORT ? 16 : 8;
    return vips_icc_transform(in, out, "srgb", "embedded", TRUE, "depth", depth, NULL);
}

// MARK: Changing

static inline int cvips_copy(VipsImage *in, VipsImage **out) {
    return vips_copy(in, out, NULL);
}

/// Marks the bands as red, green, blue and optionally alpha.
static inline int cvips_copy_as_srgb(VipsImage *in, VipsImage **out) {
    return vips_copy(in, out, "interpretation", VIPS_INTERPRETATION_sRGB, NULL);
}

static inline int cvips_extract_area(VipsImage *in, VipsImage **out, int left, int top, int width, int height) {
    return vips_extract_area(in, out, left, top, width, height, NULL);
}

static inline int cvips_rot(VipsImage *in, VipsImage **out, VipsAngle angle) {
    return vips_rot(in, out, angle, NULL);
}

static inline int cvips_flip(VipsImage *in, VipsImage **out, VipsDirection direction) {
    return vips_flip(in, out, direction, NULL);
}

/// Rotates around the centre by the angle with this sine and cosine, onto a canvas of this size and colour. The centres
/// of image and canvas coincide, unlike with vips_rotate.
static inline int cvips_rotate(VipsImage *in, VipsImage **out, double sine, double cosine, int width, int height,
                               VipsArrayDouble *background) {
    int canvas[] = {0, 0, width, height};
    VipsArrayInt *area = vips_array_int_new(canvas, 4);
    VipsInterpolate *cubic = vips_interpolate_new("bicubic");
    int status = vips_affine(in, out, cosine, -sine, sine, cosine, "idx", -(in->Xsize - 1) / 2.0, "idy",
                             -(in->Ysize - 1) / 2.0, "odx", (width - 1) / 2.0, "ody", (height - 1) / 2.0, "oarea", area,
                             "interpolate", cubic, "extend", VIPS_EXTEND_BACKGROUND, "background", background, NULL);
    vips_area_unref((VipsArea *)area);
    g_object_unref(cubic);
    return status;
}

/// Places the image in the upper left corner of a black canvas of this size.
static inline int cvips_extend(VipsImage *in, VipsImage **out, int width, int height) {
    return vips_embed(in, out, 0, 0, width, height, NULL);
}

/// Blurs in floating point, because an integer mask changes uniform colours; the mask ends where the Gaussian is below
/// the amplitude.
static inline int cvips_gaussblur(VipsImage *in, VipsImage **out, double sigma, double amplitude) {
    return vips_gaussblur(in, out, sigma, "min_ampl", amplitude, "precision", VIPS_PRECISION_FLOAT, NULL);
}

static inline int cvips_premultiply(VipsImage *in, VipsImage **out) {
    return vips_premultiply(in, out, NULL);
}

static inline int cvips_unpremultiply(VipsImage *in, VipsImage **out) {
    return vips_unpremultiply(in, out, NULL);
}

static inline int cvips_rint(VipsImage *in, VipsImage **out) {
    return vips_rint(in, out, NULL);
}

static inline int cvips_cast_uchar(VipsImage *in, VipsImage **out) {
    return vips_cast_uchar(in, out, NULL);
}

static inline int cvips_sharpen(VipsImage *in, VipsImage **out) {
    return vips_sharpen(in, out, NULL);
}

static inline int cvips_flatten(VipsImage *in, VipsImage **out, VipsArrayDouble *background) {
    return vips_flatten(in, out, "background", background, NULL);
}

static inline int cvips_colourspace_srgb(VipsImage *in, VipsImage **out) {
    return vips_colourspace(in, out, VIPS_INTERPRETATION_sRGB, NULL);
}

static inline int cvips_extract_bands(VipsImage *in, VipsImage **out, int first, int count) {
    return vips_extract_band(in, out, first, "n", count, NULL);
}

static inline int cvips_bandjoin(VipsImage *first, VipsImage *second, VipsImage **out) {
    return vips_bandjoin2(first, second, out, NULL);
}

static inline int cvips_addalpha(VipsImage *in, VipsImage **out) {
    return vips_addalpha(in, out, NULL);
}

/// Multiplies each value by the factor and clips the result to a byte.
static inline int cvips_scale_values(VipsImage *in, VipsImage **out, double factor) {
    return vips_linear1(in, out, factor, 0.0, "uchar", TRUE, NULL);
}

/// Composites `over` on `base` at an offset; the result has the size of `base`.
static inline int cvips_composite(VipsImage *base, VipsImage *over, VipsImage **out, int x, int y) {
    return vips_composite2(base, over, out, VIPS_BLEND_MODE_OVER, "x", x, "y", y, NULL);
}

static inline int cvips_replicate(VipsImage *in, VipsImage **out, int across, int down) {
    return vips_replicate(in, out, across, down, NULL);
}

/// Joins frames from top to bottom.
static inline int cvips_join_frames(VipsImage **frames, VipsImage **out, int count) {
    return vips_arrayjoin(frames, out, count, "across", 1, NULL);
}

static inline int cvips_mean(VipsImage *in, double *out) {
    return vips_avg(in, out, NULL);
}

// MARK: Text

/// Creates a font map for texts, in which one point is one pixel.
static inline void *cvips_fonts_new(void) {
    PangoFontMap *fonts = pango_cairo_font_map_new();
    pango_cairo_font_map_set_resolution((PangoCairoFontMap *)fonts, 72);
    return fonts;
}

/// Frees a font map, all fonts that texts opened in it, and the glyphs that cairo has cached for them.
///
/// cairo retains the 256 fonts of the process that were released last, with all pixels of their glyphs: gigabytes, if
/// the fonts were large. No function of cairo frees them, so 256 fonts without glyphs replace them.
static inline void cvips_fonts_free(void *fonts) {
    g_object_unref(fonts);
    cairo_font_face_t *face = cairo_user_font_face_create();
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_matrix_t identity;
    cairo_matrix_init_identity(&identity);
    for (int size = 1; size <= 256; size++) {
        cairo_matrix_t scale;
        cairo_matrix_init_scale(&scale, size, size);
        cairo_scaled_font_destroy(cairo_scaled_font_create(face, &scale, &identity, options));
    }
    cairo_font_options_destroy(options);
    cairo_font_face_destroy(face);
}

/// Renders the visible part of a layout as a mask of one band.
static inline int cvips_render_layout(VipsImage **out, PangoLayout *layout) {
    PangoRectangle ink;
    pango_layout_get_pixel_extents(layout, &ink, NULL);
    if (ink.width <= 0 || ink.height <= 0) {
        vips_error("text", "no text to render");
        return -1;
    }
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, ink.width, ink.height);
    cairo_t *context = cairo_create(surface);
    cairo_translate(context, -ink.x, -ink.y);
    pango_cairo_show_layout(context, layout);
    cairo_surface_flush(surface);
    VipsImage *image = NULL;
    void *pixels;
    if (cairo_status(context) != CAIRO_STATUS_SUCCESS) {
        vips_error("text", "%s", cairo_status_to_string(cairo_status(context)));
    } else if ((image = cvips_new_pixels(ink.width, ink.height, 1, &pixels)) != NULL) {
        const unsigned char *mask = cairo_image_surface_get_data(surface);
        size_t stride = cairo_image_surface_get_stride(surface);
        for (size_t y = 0; y < (size_t)ink.height; y++)
            memcpy((unsigned char *)pixels + y * ink.width, mask + y * stride, ink.width);
    }
    cairo_destroy(context);
    cairo_surface_destroy(surface);
    *out = image;
    return image == NULL ? -1 : 0;
}

/// Renders Pango markup as a mask of one band, 0 to 255, with a font map of cvips_fonts_new. Only one thread of the
/// process may call this function or cvips_fonts_free at a time: cairo 1.16 deadlocks or crashes if two do.
///
/// vips_text would retain its fonts until the process ends: libvips 8.14.2 and later have a font map that no caller can
/// reach, 8.14.1 has one for each thread and no lock.
static inline int cvips_text(VipsImage **out, void *fonts, const char *text, const char *font) {
    if (!pango_parse_markup(text, -1, 0, NULL, NULL, NULL, NULL)) {
        vips_error("text", "invalid markup");
        return -1;
    }
    PangoContext *context = pango_font_map_create_context((PangoFontMap *)fonts);
    PangoLayout *layout = pango_layout_new(context);
    PangoFontDescription *description = pango_font_description_from_string(font);
    pango_layout_set_font_description(layout, description);
    pango_layout_set_markup(layout, text, -1);
    int status = cvips_render_layout(out, layout);
    pango_font_description_free(description);
    g_object_unref(layout);
    g_object_unref(context);
    return status;
}

// MARK: Writing

static inline int cvips_jpegsave(VipsImage *in, VipsTarget *target, int quality, gboolean progressive,
                                 gboolean strip) {
    return vips_jpegsave_target(in, target, "Q", quality, "interlace", progressive, "strip", strip, "optimize_coding",
                                TRUE, NULL);
}

static inline int cvips_pngsave(VipsImage *in, VipsTarget *target, int compression, gboolean strip) {
    return vips_pngsave_target(in, target, "compression", compression, "strip", strip, NULL);
}

static inline int cvips_pngsave_with_palette(VipsImage *in, VipsTarget *target, int compression, int bits,
                                             gboolean strip) {
    return vips_pngsave_target(in, target, "compression", compression, "palette", TRUE, "bitdepth", bits, "strip",
                               strip, NULL);
}

static inline int cvips_webpsave(VipsImage *in, VipsTarget *target, int quality, int effort, gboolean strip) {
    return vips_webpsave_target(in, target, "Q", quality, "effort", effort, "strip", strip, NULL);
}

static inline int cvips_gifsave(VipsImage *in, VipsTarget *target, int bits, gboolean strip) {
    return vips_gifsave_target(in, target, "bitdepth", bits, "strip", strip, NULL);
}

static inline int cvips_avifsave(VipsImage *in, VipsTarget *target, int quality, int effort, gboolean strip) {
    return vips_heifsave_target(in, target, "Q", quality, "compression", VIPS_FOREIGN_HEIF_COMPRESSION_AV1, "effort",
                                effort, "strip", strip, NULL);
}

/// Writes the uncompressed pixels row by row.
static inline int cvips_rawsave(VipsImage *in, int descriptor) {
    return vips_rawsave_fd(in, descriptor, NULL);
}

/// Returns the content of a finished memory target; the caller releases it with cvips_blob_unref. Savers end their
/// target, and after that vips_target_steal of 8.14 dereferences a null pointer.
static inline VipsBlob *cvips_target_blob(VipsTarget *target) {
    VipsBlob *blob = NULL;
    g_object_get(target, "blob", &blob, NULL);
    return blob;
}

static inline void cvips_blob_unref(VipsBlob *blob) {
    vips_area_unref((VipsArea *)blob);
}

static inline void cvips_array_unref(VipsArrayDouble *array) {
    vips_area_unref((VipsArea *)array);
}

// MARK: Rows

/// Returns the first pixel of a row of a region that was computed with vips_region_prepare.
static inline const unsigned char *cvips_region_row(VipsRegion *region, int y) {
    return VIPS_REGION_ADDR(region, region->valid.left, y);
}

// MARK: Progress

typedef void (*cvips_eval)(VipsImage *image, VipsProgress *progress, void *data);

/// Calls back while pixels of the image are computed; the callback can stop that with vips_image_set_kill.
static inline void cvips_watch(VipsImage *image, cvips_eval callback, void *data) {
    vips_image_set_progress(image, TRUE);
    g_signal_connect_data(image, "eval", G_CALLBACK(callback), data, NULL, (GConnectFlags)0);
}

static inline void cvips_unwatch(VipsImage *image, void *data) {
    g_signal_handlers_disconnect_by_data(image, data);
}

/// Emits the evaluation signal of an image; returns TRUE if the evaluation must stop.
static inline gboolean cvips_tell_progress(VipsImage *image) {
    if (image->progress_signal != NULL) {
        VipsProgress progress = {.im = image->progress_signal};
        g_signal_emit_by_name(image->progress_signal, "eval", &progress);
    }
    return vips_image_iskilled(image);
}

/// Returns whether this libvips has the operation with this nickname.
static inline int cvips_has_operation(const char *nickname) {
    return vips_type_find("VipsOperation", nickname) != 0;
}

#endif
