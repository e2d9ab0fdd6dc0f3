internal import CVips
internal import Domain
internal import NIOCore

/// One job from source to encoded derivative; synchronous, on one thread, sharing nothing.
struct Thumbnail {
    let request: ImageRequest
    let limits: ImageLimits

    func render(_ source: borrowing VipsSourceHandle) throws -> RenderedImage {
        guard let loader = source.loader else { throw unreadable(VipsError(operation: "find_load", detail: "")) }
        guard let header = Thumbnail.header(of: source) else { throw unreadable(VipsError.take("header")) }
        try limits.checkSource(width: header.width, height: header.height, pages: header.pages)
        let format = request.format ?? ownFormat(loader, header)
        guard VipsLibrary.canWrite(format) else {
            throw ServiceError(
                .badImageRequest,
                "Bad image request: this server's libvips cannot write \(format.rawValue)."
            )
        }
        do {
            let image = try shrink(source, hasProfile: header.hasProfile)
            try limits.checkResult(width: image.width, height: image.height)
            return RenderedImage(bytes: try encode(image, as: format), format: format)
        } catch let error as VipsError {
            // Pixels are decoded while the result is written, so a broken source shows only here.
            throw unreadable(error)
        }
    }

    /// The image with its pixels not yet decoded; nothing if even the header is broken.
    static func header(of source: borrowing VipsSourceHandle) -> VipsImageHandle? {
        cvips_new_from_source(source.pointer).map { VipsImageHandle(owning: $0) }
    }

    private func shrink(_ source: borrowing VipsSourceHandle, hasProfile: Bool) throws(VipsError) -> VipsImageHandle {
        let unlimited = VIPS_MAX_COORD
        let cover = request.fit == .cover
        var image: UnsafeMutablePointer<VipsImage>?
        let status = cvips_thumbnail(
            source.pointer,
            &image,
            request.width.map(CInt.init) ?? unlimited,
            request.height.map(CInt.init) ?? unlimited,
            cover ? VIPS_SIZE_BOTH : VIPS_SIZE_DOWN,
            cover ? VIPS_INTERESTING_CENTRE : VIPS_INTERESTING_NONE,
            hasProfile ? 1 : 0
        )
        guard status == 0, let image else { throw VipsError.take("thumbnail") }
        return VipsImageHandle(owning: image)
    }

    /// The image on white if parts of it are transparent, which JPEG cannot be.
    private func withoutAlpha(_ image: borrowing VipsImageHandle) throws(VipsError) -> VipsImageHandle {
        try image.hasAlpha ? image.applying("flatten", cvips_flatten_on_white) : image.shared()
    }

    private func encode(_ image: borrowing VipsImageHandle, as format: ImageFormat) throws(VipsError) -> ByteBuffer {
        let image = try format == .jpeg ? withoutAlpha(image) : image.shared()
        let target = try VipsTargetHandle()
        let quality = CInt(request.quality)
        let status =
            switch format {
            case .jpeg: cvips_jpegsave(image.pointer, target.pointer, quality)
            case .png: cvips_pngsave(image.pointer, target.pointer)
            case .webp: cvips_webpsave(image.pointer, target.pointer, quality)
            case .gif: cvips_gifsave(image.pointer, target.pointer)
            case .avif: cvips_avifsave(image.pointer, target.pointer, quality)
            }
        guard status == 0 else { throw VipsError.take("save \(format.rawValue)") }
        return try target.withBytes { ByteBuffer(bytes: $0) }
    }

    /// The source's own format; for those that browsers do not show, the nearest one that they do.
    private func ownFormat(_ loader: String, _ header: borrowing VipsImageHandle) -> ImageFormat {
        switch loader.dropFirst("VipsForeignLoad".count) {
        case let name where name.hasPrefix("Png"): .png
        case let name where name.hasPrefix("Webp"): .webp
        case let name where name.hasPrefix("Nsgif"): .gif
        case let name where name.hasPrefix("Heif") && header.text("heif-compression") == "av1": .avif
        case let name where name.hasPrefix("Tiff") && header.hasAlpha: .png
        default: .jpeg
        }
    }

    private func unreadable(_ error: VipsError) -> ServiceError {
        ServiceError(.notAnImage, "The file is not an image that can be read.", cause: error)
    }
}
