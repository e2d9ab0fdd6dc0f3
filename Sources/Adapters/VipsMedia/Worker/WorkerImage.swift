internal import CVips
internal import Domain

/// An image of one of the worker's formats with its header.
struct WorkerImage: ~Copyable {
    /// The properties from the header.
    let head: WorkerHead
    /// What its EXIF says.
    let metadata: WorkerMetadata
    /// Whether a colour profile is attached, and whether it fits.
    private let profile: (isAttached: Bool, fits: Bool)

    /// Reads the header.
    ///
    /// - Parameter source: The bytes.
    /// - Throws: An error if no loader recognizes the bytes, or if the loader cannot read them.
    init(_ source: borrowing VipsSourceHandle) throws(VipsError) {
        guard var format = WorkerImage.format(of: try WorkerLibrary.loader(for: source)) else {
            throw VipsError.take("find_load")
        }
        let image = try VipsImageHandle(source)
        let isHEIF = format == .heic
        if isHEIF, image.text("heif-compression") == "av1" { format = .avif }
        // Pages are opaque: poppler's transparency becomes white.
        let isPage = format == .pdf
        var head = WorkerHead(
            format: format,
            size: image.size,
            bands: isPage ? 3 : image.bands,
            hasAlpha: !isPage && image.hasAlpha,
            bits: Int(vips_format_sizeof(vips_image_get_format(image.pointer))) * 8
        )
        if isHEIF {
            head.orientation = image.orientation
            head.hasProfile = image.hasFittingProfile
        }
        self.head = head
        profile = (image.hasProfile, image.hasFittingProfile)
        metadata = isHEIF ? WorkerMetadata(of: image) : WorkerMetadata()
    }

    /// The first page or frame at exactly a size, in 8-bit sRGB with three or four channels.
    ///
    /// Its pixels are computed when they are written.
    ///
    /// - Throws: An error if libvips cannot resample the image or convert it to 8 bits.
    func decoded(
        from source: borrowing VipsSourceHandle,
        at size: ImageSize,
        _ effort: ImageEffort
    ) throws(VipsError) -> VipsImageHandle {
        let isLinear = effort == .best && size != head.size
        // libvips 8.14 searches the pages of a TIFF for a pyramid, and writes past its table if there are hundreds. It
        // also results in wrong colours if it shrinks an image with a profile in linear light.
        let isOpened = head.format == .tiff || isLinear && profile.isAttached
        let resized =
            isOpened
            ? try VipsImageHandle(source, options: WorkerImage.strict).resampled(to: size, isLinear: isLinear)
            : try VipsImageHandle.shrunk(
                source,
                to: size,
                options: WorkerImage.strict,
                isUpright: false,
                isLinear: isLinear,
                hasProfile: profile.fits
            )
        let image = try resized.applying("colourspace", cvips_colourspace_srgb)
        // libvips converts grey of 32 bits to sRGB without a conversion to bytes.
        guard vips_image_get_format(image.pointer) == VIPS_FORMAT_UCHAR else {
            throw VipsError(operation: "colourspace", detail: "not 8 bits")
        }
        let bands = head.hasAlpha && image.hasAlpha ? 4 : 3
        return try image.applying("extract_band") { cvips_extract_bands($0, $1, 0, CInt(bands)) }
    }

    /// A truncated image is an error, not a grey area.
    private static let strict = "[fail_on=truncated]"

    private static func format(of loader: String) -> SourceFormat? {
        switch loader {
        case "VipsForeignLoadSvgSource": .svg
        case "VipsForeignLoadPdfSource": .pdf
        case "VipsForeignLoadJxlSource": .jxl
        case "VipsForeignLoadJp2kSource": .jp2
        // AVIF too.
        case "VipsForeignLoadHeifSource": .heic
        case "VipsForeignLoadTiffSource": .tiff
        default: nil
        }
    }
}
