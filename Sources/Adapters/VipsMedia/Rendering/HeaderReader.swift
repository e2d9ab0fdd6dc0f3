internal import CVips
internal import Domain

/// Reads the header of an image from its bytes.
struct HeaderReader {
    let bytes: SourceBytes
    let watch: JobWatch

    /// - Throws: ``ServiceError/Code/notAnImage``.
    func read(_ format: SourceFormat) throws -> ImageHeader {
        do {
            return try format == .bmp ? bitmap() : picture(format)
        } catch let error as VipsError {
            try watch.check()
            throw ServiceError.unreadable(error)
        } catch let error as BMPError {
            throw ServiceError.unreadable(error)
        }
    }

    /// The limit on compressed chunks of a PNG, which inflate by a factor of up to 1000.
    private static let maxPackedBytes = 256 << 10
    private static let maxFrames = 4096
    /// The budget for reading the chunks of a file: two pieces for each of the maximum number of frames.
    static let walk = 10 << 20

    /// The EXIF fields of an image by name.
    func exif(_ format: SourceFormat) throws -> [String: ExifField] {
        do {
            try checkBurden(format)
            return ExifReader.fields(of: try VipsImageHandle(VipsSourceHandle(bytes, watch: watch)))
        } catch let error as VipsError {
            try watch.check()
            throw ServiceError.unreadable(error)
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
    /// libtiff reads all directories of a TIFF.
    ///
    /// - Parameter format: The format of the file.
    /// - Returns: The facts of a PNG; `nil` for other formats.
    /// - Throws: ``ServiceError/Code/imageTooLarge``, and an error for a PNG without valid chunks.
    @discardableResult
    private func checkBurden(_ format: SourceFormat) throws -> PNGFacts? {
        let window = ByteWindow(budget: HeaderReader.walk, reading: bytes.read(at:count:))
        switch format {
        case .jpeg:
            guard try JPEGSegments.areFew(window) else {
                throw tooManySegments(JPEGSegments.most)
            }
        case .tiff:
            guard var directories = try TIFFDirectories(window, fileSize: bytes.count) else { break }
            guard try directories.areFew() else {
                throw ServiceError(.imageTooLarge, "The image has too many pages, tags or values of tags.")
            }
        case .webp:
            guard let frames = try WebPFacts(window)?.frames, frames <= HeaderReader.maxFrames else {
                throw ServiceError(
                    .imageTooLarge,
                    "The image has too many frames; the limit is \(HeaderReader.maxFrames)."
                )
            }
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
            return facts
        default: break
        }
        return nil
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

    /// The names of Go's image library, which Qiniu returns; it has none for 32 bits.
    fileprivate var colorModel: String {
        let isDeep = bitsPerSample == 16
        let suffix = isDeep ? "64" : ""
        return switch (channels, hasAlpha) {
        case (1, _): isDeep ? "gray16" : "gray"
        case (_, true): "nrgba\(suffix)"
        case (4, false): "cmyk"
        default: "rgba\(suffix)"
        }
    }
}
