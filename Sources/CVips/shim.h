#ifndef LCFILE_CVIPS_H
#define LCFILE_CVIPS_H

#include <vips/vips.h>

// Most operations of libvips are variadic, which Swift cannot call: one shim with fixed arguments for each that we use.
// Every list ends with NULL; a missing one compiles and corrupts memory, so look there first when reviewing.

/// Opens the header of whatever the source holds; pixels are decoded later, from top to bottom.
static inline VipsImage *cvips_new_from_source(VipsSource *source) {
    return vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL, NULL);
}

/// Shrinks while loading, turns upright by EXIF, and converts an embedded colour profile to sRGB: only if there is one,
/// because 8.14 takes a picture without for one of another space. A picture that ends
/// too early is an error, not a grey area; 8.14 passes that on to the loader as text only.
static inline int cvips_thumbnail(VipsSource *source, VipsImage **out, int width, int height, VipsSize size,
                                  VipsInteresting crop, int has_profile) {
    if (!has_profile)
        return vips_thumbnail_source(source, out, width, "height", height, "size", size, "crop", crop,
                                     "option_string", "[fail_on=truncated]", NULL);
    return vips_thumbnail_source(source, out, width, "height", height, "size", size, "crop", crop,
                                 "export_profile", "srgb", "option_string", "[fail_on=truncated]", NULL);
}

static inline int cvips_has_profile(VipsImage *image) {
    return vips_image_get_typeof(image, VIPS_META_ICC_NAME) != 0;
}

/// Lays the picture on white, for formats without transparency.
static inline int cvips_flatten_on_white(VipsImage *in, VipsImage **out) {
    double white[] = {255.0, 255.0, 255.0};
    VipsArrayDouble *background = vips_array_double_new(white, 3);
    int status = vips_flatten(in, out, "background", background, NULL);
    vips_area_unref(VIPS_AREA(background));
    return status;
}

static inline int cvips_jpegsave(VipsImage *in, VipsTarget *target, int quality) {
    return vips_jpegsave_target(in, target, "Q", quality, "strip", TRUE, "optimize_coding", TRUE, NULL);
}

static inline int cvips_pngsave(VipsImage *in, VipsTarget *target) {
    return vips_pngsave_target(in, target, "strip", TRUE, NULL);
}

static inline int cvips_webpsave(VipsImage *in, VipsTarget *target, int quality) {
    return vips_webpsave_target(in, target, "Q", quality, "strip", TRUE, NULL);
}

static inline int cvips_gifsave(VipsImage *in, VipsTarget *target) {
    return vips_gifsave_target(in, target, "strip", TRUE, NULL);
}

static inline int cvips_avifsave(VipsImage *in, VipsTarget *target, int quality) {
    return vips_heifsave_target(in, target, "Q", quality, "compression", VIPS_FOREIGN_HEIF_COMPRESSION_AV1, "effort", 2,
                                "strip", TRUE, NULL);
}

/// What a finished target to memory holds, to be given back with cvips_blob_unref. Savers end their target, and after
/// that vips_target_steal of 8.14 reads through a null pointer.
static inline VipsBlob *cvips_target_blob(VipsTarget *target) {
    VipsBlob *blob = NULL;
    g_object_get(target, "blob", &blob, NULL);
    return blob;
}

static inline void cvips_blob_unref(VipsBlob *blob) {
    vips_area_unref((VipsArea *)blob);
}

/// The type of a class of operations by its nickname, 0 when this libvips has none.
static inline int cvips_has_operation(const char *nickname) {
    return vips_type_find("VipsOperation", nickname) != 0;
}

#endif
