internal import CVips
internal import Domain

/// Resampling with conversion to sRGB.
///
/// A colour profile that does not fit the image, or that cannot be read, is ignored and removed, so that no later step
/// applies it.
extension VipsImageHandle {
    /// Loads a still image at exactly a size; decoders shrink where they can.
    ///
    /// - Parameters:
    ///   - source: The encoded image; can be read again after this call.
    ///   - size: The size of the result.
    ///   - options: The loader's own options: `[fail_on=truncated]`.
    ///   - isUpright: Whether the EXIF orientation is applied.
    ///   - isLinear: Whether to resample in linear light; only for images without a colour profile.
    ///   - hasProfile: Whether the image has a colour profile of its colour model.
    /// - Returns: The image; most formats are decoded only when its pixels are read.
    /// - Throws: An error if the bytes are not an image, or a damaged one.
    static func shrunk(
        _ source: borrowing VipsSourceHandle,
        to size: ImageSize,
        options: String,
        isUpright: Bool,
        isLinear: Bool,
        hasProfile: Bool
    ) throws(VipsError) -> VipsImageHandle {
        let pointer = source.pointer
        var image: UnsafeMutablePointer<VipsImage>?
        func load(_ isProfileApplied: Bool) -> CInt {
            cvips_thumbnail_source(
                pointer,
                &image,
                CInt(size.width),
                CInt(size.height),
                options,
                isUpright ? 0 : 1,
                isLinear ? 1 : 0,
                isProfileApplied ? 1 : 0
            )
        }
        if hasProfile {
            if load(true) == 0, let image { return VipsImageHandle(owning: image) }
            // The profile can be broken; if the image is, the second attempt fails too.
            _ = VipsError.take("thumbnail_source")
            image = nil
        }
        guard load(false) == 0, let image else { throw VipsError.take("thumbnail_source") }
        return try VipsImageHandle(owning: image).withoutProfile()
    }

    /// The image at exactly a size.
    ///
    /// - Parameters:
    ///   - size: The size of the result.
    ///   - isLinear: Whether to resample in linear light.
    /// - Returns: The image; its pixels are computed when they are read.
    /// - Throws: An error if libvips cannot resample the image.
    func resampled(to size: ImageSize, isLinear: Bool) throws(VipsError) -> VipsImageHandle {
        if hasFittingProfile {
            do {
                // libvips 8.14 results in wrong colours if it resamples an image with a profile in linear light.
                guard isLinear else { return try thumbnail(size, isLinear: false, hasProfile: true) }
                let converted = try applying("icc_transform", cvips_icc_transform_srgb).withoutProfile()
                return try converted.thumbnail(size, isLinear: true, hasProfile: false)
            } catch {
                // The profile can be broken; if the image is, the second attempt fails too.
            }
        }
        return try withoutProfile().thumbnail(size, isLinear: isLinear, hasProfile: false)
    }

    private func thumbnail(
        _ size: ImageSize,
        isLinear: Bool,
        hasProfile: Bool
    ) throws(VipsError) -> VipsImageHandle {
        try applying("thumbnail_image") {
            cvips_thumbnail_image(
                $0,
                $1,
                CInt(size.width),
                CInt(size.height),
                isLinear ? 1 : 0,
                hasProfile ? 1 : 0
            )
        }
    }

    /// The image without its colour profile; its pixels do not change.
    private func withoutProfile() throws(VipsError) -> VipsImageHandle {
        guard hasProfile else { return shared() }
        let image = try unshared()
        image.remove(VIPS_META_ICC_NAME)
        return image
    }
}
