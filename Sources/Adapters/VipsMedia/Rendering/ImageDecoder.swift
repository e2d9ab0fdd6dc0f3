internal import CVips
internal import Domain

/// Opens the pixels of an image in sRGB, and applies the orientation and the size with which the plan begins.
struct ImageDecoder {
    let header: ImageHeader
    let effort: ImageEffort
    let watch: JobWatch

    /// A truncated image is an error, not a grey area.
    private static let strict = "fail_on=truncated"

    /// Opens one still image.
    ///
    /// - Parameters:
    ///   - input: The image.
    ///   - isUpright: Whether its EXIF orientation is applied.
    ///   - size: The size of the result, after the orientation; `nil` for the image's own size.
    /// - Returns: The image; most formats are decoded only when their pixels are read.
    /// - Throws: An error if the bytes are not an image, or a damaged one.
    func open(_ input: Input, isUpright: Bool, size: ImageSize?) throws -> VipsImageHandle {
        switch input {
        case .encoded(let bytes) where header.format == .bmp:
            return try scale(bitmap(bytes), to: size ?? header.size)
        case .encoded(let bytes):
            if let size, let image = try shortened(bytes, to: lying(size, isUpright)) {
                return isUpright ? try oriented(image, header.orientation) : image
            }
            return try shrink(bytes, to: size ?? (isUpright ? header.uprightSize : header.size), isUpright: isUpright)
        case .decoded(let decoded, _):
            let image = try VipsImageHandle(decoded.pixels, size: decoded.size, bands: decoded.bands)
            let scaled = try scale(image, to: size.map { lying($0, isUpright) } ?? decoded.size)
            return isUpright ? try oriented(scaled, header.orientation) : scaled
        }
    }

    /// The size before the orientation is applied.
    private func lying(_ size: ImageSize, _ isUpright: Bool) -> ImageSize {
        isUpright && header.isTurned ? size.turned : size
    }

    /// The JPEG downscaled by ``JPEGShrinker``, in sRGB; `nil` if that does not support the file.
    func shortened(_ bytes: SourceBytes, to size: ImageSize) throws -> VipsImageHandle? {
        guard header.format == .jpeg, header.canBeDownscaled(to: size, effort: effort),
            let estimate = JPEGShrinker.memoryEstimate(of: header.size, to: size),
            estimate <= header.downscaledMemory(to: size)
        else { return nil }
        var made: VipsImageHandle?
        bytes.withAll { bytes in
            guard let shrinker = JPEGShrinker(bytes, of: header.size, to: size) else { return }
            made = VipsImageHandle.drawn(size, bands: shrinker.bands) { pixels in
                shrinker.draw(into: pixels) { watch.mustStop }
            }
        }
        try watch.check()
        guard let image = made.take() else { return nil }
        guard header.hasProfile else { return image }
        let source = try VipsImageHandle(VipsSourceHandle(bytes, watch: watch))
        cvips_copy_profile(source.pointer, image.pointer)
        return try scale(image, to: size)
    }

    /// Applies an EXIF orientation, 1 to 8, to an open image.
    func oriented(_ image: borrowing VipsImageHandle, _ orientation: Int) throws -> VipsImageHandle {
        let image = try watch.materialized(image)
        let angles = [3: VIPS_ANGLE_D180, 5: VIPS_ANGLE_D90, 6: VIPS_ANGLE_D90, 7: VIPS_ANGLE_D270, 8: VIPS_ANGLE_D270]
        let flips = [
            2: VIPS_DIRECTION_HORIZONTAL, 4: VIPS_DIRECTION_VERTICAL, 5: VIPS_DIRECTION_HORIZONTAL,
            7: VIPS_DIRECTION_HORIZONTAL,
        ]
        let turned = try image.turned(angles[orientation])
        guard let flip = flips[orientation] else { return turned }
        return try turned.applying("flip") { cvips_flip($0, $1, flip) }
    }

    /// Opens the first frames, by default all, stacked vertically, unchanged.
    func openFrames(_ bytes: SourceBytes, count: Int = -1) throws(VipsError) -> VipsImageHandle {
        let source = VipsSourceHandle(bytes, watch: watch)
        return try VipsImageHandle(source, options: "[n=\(count),\(ImageDecoder.strict)]")
    }

    /// Resamples an open image and converts it to sRGB.
    func scale(_ image: borrowing VipsImageHandle, to size: ImageSize) throws(VipsError) -> VipsImageHandle {
        try image.resampled(to: size, isLinear: effort == .best && image.size != size)
    }

    private func bitmap(_ bytes: SourceBytes) throws -> VipsImageHandle {
        let all = bytes.readAll()
        let decoded = try all.withUnsafeBytes { try BMPDecoder(BMPHeader($0), bytes: $0).decode() }
        return try VipsImageHandle(decoded.pixels[...], size: decoded.size, bands: decoded.bands)
    }

    private func shrink(_ bytes: SourceBytes, to size: ImageSize, isUpright: Bool) throws -> VipsImageHandle {
        let source = VipsSourceHandle(bytes, watch: watch)
        let lying = lying(size, isUpright)
        if effort == .best, lying != header.size {
            // From all pixels, so the decoder does not have to know the size.
            let image = try scale(VipsImageHandle(source, options: "[\(ImageDecoder.strict)]"), to: lying)
            return isUpright ? try oriented(image, header.orientation) : image
        }
        return try VipsImageHandle.shrunk(
            source,
            to: size,
            options: "[\(ImageDecoder.strict)]",
            isUpright: isUpright,
            isLinear: false,
            hasProfile: header.hasProfile
        )
    }

    /// The input of a decoder.
    enum Input {
        /// The bytes of the file.
        var bytes: SourceBytes {
            switch self {
            case .encoded(let bytes), .decoded(_, let bytes): bytes
            }
        }

        /// The bytes of a file.
        case encoded(SourceBytes)
        /// Pixels that the worker process decoded from these bytes.
        case decoded(DecodedImage, SourceBytes)
    }
}
