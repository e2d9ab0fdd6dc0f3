internal import CVips
internal import Domain

/// An image of one of the worker's formats with its header.
struct WorkerImage: ~Copyable {
    /// The properties from the header.
    let head: WorkerHead
    /// What its EXIF says.
    let metadata: WorkerMetadata
    private let hasProfile: Bool

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
            head.hasProfile = image.hasProfile
        }
        self.head = head
        hasProfile = image.hasProfile
        metadata = isHEIF ? WorkerMetadata(of: image) : WorkerMetadata()
    }

    /// The first page or frame at exactly a size, in 8-bit sRGB with three or four channels.
    ///
    /// Its pixels are computed when they are written.
    func decoded(
        from source: borrowing VipsSourceHandle,
        at size: ImageSize,
        _ effort: ImageEffort
    ) throws(VipsError) -> VipsImageHandle {
        let isLinear: gboolean = effort == .best && size != head.size ? 1 : 0
        // libvips 8.14 searches the pages of a TIFF for a pyramid, and writes past its table if there are hundreds.
        let resized = head.format == .tiff ? try opened(source, isLinear, size) : try shrunk(source, isLinear, size)
        let image = try resized.applying("colourspace", cvips_colourspace_srgb)
        let bands = head.hasAlpha && image.hasAlpha ? 4 : 3
        return try image.applying("extract_band") { cvips_extract_bands($0, $1, 0, CInt(bands)) }
    }

    private func opened(
        _ source: borrowing VipsSourceHandle,
        _ isLinear: gboolean,
        _ size: ImageSize
    ) throws(VipsError) -> VipsImageHandle {
        let image = try VipsImageHandle(source, options: WorkerImage.strict)
        return try image.applying("thumbnail_image") {
            cvips_thumbnail_image($0, $1, CInt(size.width), CInt(size.height), isLinear, hasProfile ? 1 : 0)
        }
    }

    private func shrunk(
        _ source: borrowing VipsSourceHandle,
        _ isLinear: gboolean,
        _ size: ImageSize
    ) throws(VipsError) -> VipsImageHandle {
        var result: UnsafeMutablePointer<VipsImage>?
        let status = cvips_thumbnail_source(
            source.pointer,
            &result,
            CInt(size.width),
            CInt(size.height),
            WorkerImage.strict,
            1,
            isLinear,
            hasProfile ? 1 : 0
        )
        guard status == 0, let result else { throw VipsError.take("thumbnail") }
        return VipsImageHandle(owning: result)
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
