internal import CVips
internal import Domain

/// Reads the header of an image from its bytes.
struct HeaderReader {
    let bytes: SourceBytes
    let watch: JobWatch

    /// - Throws: ``ServiceError/Code/notAnImage``.
    func read(_ format: SourceFormat) throws -> ImageHeader {
        try watch.reading { try format == .bmp ? bitmap() : picture(format) }
    }

    /// The limit on compressed chunks of a PNG, which inflate by a factor of up to 1000.
    private static let maxPackedBytes = 256 << 10
    private static let maxFrames = 4096
    /// The maximum number of EXIF blocks in a file, of which libvips reads the first valid one.
    private static let maxExifBlocks = 16
    /// The budget for reading the chunks of a file: two pieces for each of the maximum number of frames.
    static let walk = 10 << 20

    /// The EXIF fields of an image by name.
    func exif(_ format: SourceFormat) throws -> [String: ExifField] {
        try watch.reading {
            try checkBurden(format)
            return ExifReader.fields(of: try VipsImageHandle(VipsSourceHandle(bytes, watch: watch)))
        }
    }

    private func picture(_ format: SourceFormat) throws -> ImageHeader {
        let pngFacts = try checkBurden(format)
        let source = VipsSourceHandle(bytes, watch: watch)
        let image = try VipsImageHandle(source)
        let pages = max(1, image.number("n-pages") ?? 1)
        var header = ImageHeader(
            format: format,
            size: image.size,
            // Pages of a TIFF are separate images.
            frames: format == .gif || format == .webp ? pages : 1,
            orientation: image.orientation ?? 1,
            // libvips returns 1 for a TIFF without an orientation.
            hasOrientation: image.orientation.map { format != .tiff || $0 != 1 } ?? false,
            hasAlpha: image.hasAlpha,
            bands: image.channels,
            bitsPerSample: image.bitsPerSample,
            colorModel: image.colorModel,
            hasProfile: image.hasFittingProfile
        )
        switch format {
        case .jpeg:
            // libjpeg's flag for several scans, which does not depend on the bytes before the first scan.
            header.isProgressive = image.number("interlaced") == 1
            guard let facts = try JPEGFacts(ByteWindow(reading: bytes.read(at:count:))) else { break }
            header.isProgressive = header.isProgressive || facts.isProgressive
            if header.isProgressive {
                let counts = JPEGScans.counts(in: bytes)
                guard counts.segments <= JPEGScans.maxSegments else { throw tooManySegments(JPEGScans.maxSegments) }
                header.scans = counts.scans
            }
            header.quality = facts.quality
            header.colorModel = facts.colorModel
        case .png:
            guard let facts = pngFacts else { break }
            header.isProgressive = facts.isInterlaced
            header.hasUnreadFrames = facts.isAnimated
            header.colorModel = facts.colorModel
        case .gif:
            // Each byte is read once.
            let window = ByteWindow(budget: bytes.count + HeaderReader.walk, reading: bytes.read(at:count:))
            if let facts = try GIFFacts(window), facts.frames > 1 {
                guard facts.isWhole else { throw VipsError(operation: "gif", detail: "cut off") }
                header.frames = facts.frames
            }
            header.colorModel = "palette\(1 << (image.number("palette-bit-depth") ?? 8))"
        default:
            break
        }
        return header
    }

    /// Refuses files that libvips must not open, after reading their chunks here.
    ///
    /// libvips' time for a WebP grows with the square of the frames, and that for a JPEG with the square of the segments.
    /// libtiff reads all directories of a TIFF. libexif, which cannot be stopped, follows the pointers of an EXIF
    /// block; libvips passes no EXIF of a TIFF to it.
    ///
    /// - Parameter format: The format of the file.
    /// - Returns: The facts of a PNG; `nil` for other formats.
    /// - Throws: ``ServiceError/Code/imageTooLarge``, and an error for a PNG without valid chunks.
    @discardableResult
    private func checkBurden(_ format: SourceFormat) throws -> PNGFacts? {
        let window = ByteWindow(budget: HeaderReader.walk, reading: bytes.read(at:count:))
        switch format {
        case .jpeg:
            let segments = try JPEGSegments(window)
            guard segments.areFew else { throw tooManySegments(JPEGSegments.most) }
            try checkExif(segments.exifRanges)
        case .tiff:
            guard var directories = try TIFFDirectories(window, fileSize: bytes.count) else { break }
            guard try directories.areFew() else {
                throw ServiceError(.imageTooLarge, "The image has too many pages, tags or values of tags.")
            }
        case .webp:
            guard let facts = try WebPFacts(window), facts.frames <= HeaderReader.maxFrames else {
                throw ServiceError(
                    .imageTooLarge,
                    "The image has too many frames; the limit is \(HeaderReader.maxFrames)."
                )
            }
            try checkExif(facts.exifRanges)
        case .png:
            guard let facts = try PNGFacts(window) else { throw VipsError(operation: "png", detail: "chunks") }
            guard facts.packedTexts <= PNGFacts.maxPackedTexts,
                facts.packedBytes <= HeaderReader.maxPackedBytes
            else {
                throw ServiceError(
                    .imageTooLarge,
                    "The image has too many compressed texts; the limit is \(PNGFacts.maxPackedTexts) texts "
                        + "and \(HeaderReader.maxPackedBytes) bytes."
                )
            }
            try checkExif(facts.exifRanges)
            return facts
        default: break
        }
        return nil
    }

    /// Refuses EXIF blocks in which libexif would follow pointers for a long time.
    private func checkExif(_ ranges: [Range<Int>]) throws {
        guard ranges.count <= HeaderReader.maxExifBlocks else {
            throw ServiceError(
                .imageTooLarge,
                "The image has too many EXIF blocks; the limit is \(HeaderReader.maxExifBlocks)."
            )
        }
        var entries = 0
        for range in ranges {
            let block = bytes.read(at: range.lowerBound, count: min(range.count, ExifTags.countedLength))
            entries += ExifTags(in: block).entries
            guard entries <= ExifTags.most else {
                throw ServiceError(
                    .imageTooLarge,
                    "The image has too many EXIF entries; the limit is \(ExifTags.most), each counted as often as "
                        + "pointers lead to it, and one more for each 4096 bytes of its value, and 300 in a maker note "
                        + "of Apple's."
                )
            }
        }
    }

    private func tooManySegments(_ limit: Int) -> ServiceError {
        ServiceError(.imageTooLarge, "The image has too many segments; the limit is \(limit).")
    }

    private func bitmap() throws -> ImageHeader {
        let facts = try bytes.read(at: 0, count: BMPHeader.maxLength).withUnsafeBytes { try BMPHeader($0) }
        return ImageHeader(
            format: .bmp,
            size: facts.size,
            hasAlpha: facts.hasAlpha,
            bands: facts.hasAlpha ? 4 : 3,
            colorModel: facts.colorModel
        )
    }
}

extension VipsImageHandle {
    fileprivate var bitsPerSample: Int {
        switch vips_image_get_format(pointer) {
        case VIPS_FORMAT_UCHAR, VIPS_FORMAT_CHAR: 8
        case VIPS_FORMAT_USHORT, VIPS_FORMAT_SHORT: 16
        default: 32
        }
    }

    fileprivate var channels: Int { isPackedLAB ? 3 : bands }

    /// The colour model as `imageInfo` writes it; there is no name for 32 bits.
    fileprivate var colorModel: String {
        if channels == 4, !hasAlpha { return "cmyk" }
        return ColorModel.name(isGray: channels == 1, hasAlpha: hasAlpha, isDeep: bitsPerSample == 16)
    }
}
