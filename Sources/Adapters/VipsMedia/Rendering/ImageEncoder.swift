internal import CVips
internal import Domain
internal import NIOCore

/// Encodes an image as its plan requires, without metadata except what the plan retains.
struct ImageEncoder {
    let output: ImagePlan.Output
    let watch: JobWatch

    /// The lowest quality that a size limit can result in.
    private static let lowestQuality = 10

    func encode(_ image: borrowing VipsImageHandle) throws -> ByteBuffer {
        let image = try withMetadata(image)
        guard let limit = output.sizeLimit, output.format == .jpeg || limit.isStrict && canBeWorse else {
            return try write(image, quality: output.quality)
        }
        return try write(watch.materialized(image), within: limit.bytes)
    }

    private var canBeWorse: Bool { output.format == .webp || output.format == .avif }

    /// Encodes with the best quality that fits, found by binary search.
    private func write(_ image: borrowing VipsImageHandle, within limit: Int) throws -> ByteBuffer {
        var best = try write(image, quality: output.quality)
        guard best.readableBytes > limit else { return best }
        var (low, high) = (min(ImageEncoder.lowestQuality, output.quality), output.quality)
        best = try write(image, quality: low)
        while high - low > 1 {
            let middle = (low + high) / 2
            let bytes = try write(image, quality: middle)
            if bytes.readableBytes <= limit {
                (best, low) = (bytes, middle)
            } else {
                high = middle
            }
        }
        return best
    }

    private func write(_ image: borrowing VipsImageHandle, quality: Int) throws -> ByteBuffer {
        let target = try VipsTargetHandle()
        let pointer = image.pointer
        let strip: gboolean = keepsMetadata ? 0 : 1
        return try watch.watching(image) {
            let status =
                switch output.format {
                case .jpeg:
                    cvips_jpegsave(pointer, target.pointer, CInt(quality), output.isProgressive ? 1 : 0, strip)
                case .png where output.colors != nil:
                    cvips_pngsave_with_palette(pointer, target.pointer, compression, paletteBits, strip)
                case .png: cvips_pngsave(pointer, target.pointer, compression, strip)
                case .webp: cvips_webpsave(pointer, target.pointer, CInt(quality), webpEffort(image.size), strip)
                case .gif: cvips_gifsave(pointer, target.pointer, paletteBits, strip)
                case .avif:
                    cvips_avifsave(pointer, target.pointer, CInt(quality), output.effort == .best ? 4 : 2, strip)
                }
            guard status == 0 else { throw VipsError.take("save \(output.format.rawValue)") }
            return try target.withBytes { ByteBuffer(bytes: $0) }
        }
    }

    /// libwebp's default, but lower for large images, because its single call cannot be stopped.
    private func webpEffort(_ size: ImageSize) -> CInt { size.area > 4_000_000 ? 1 : 4 }

    private var compression: CInt { CInt(output.compression ?? 6) }

    /// The number of bits that the colours need.
    private var paletteBits: CInt {
        let colors = output.colors ?? 256
        let bits = (1...8).first { 1 << $0 >= colors } ?? 8
        // PNG palettes have 1, 2, 4 or 8 bits.
        return CInt(output.format == .gif ? bits : [1, 2, 4, 8].first { $0 >= bits } ?? 8)
    }

    private var keepsMetadata: Bool { output.orientation != nil || output.keepsCopyright }

    /// The fields that describe only how frames are shown.
    private static let animation = ["page-height", "n-pages", "delay", "loop"]

    /// Removes all metadata except what the plan retains.
    ///
    /// It lists the retained fields, so that metadata of future libvips versions is removed too; the savers' option to
    /// strip metadata does not remove all of it (WebP's of 8.14).
    private func withMetadata(_ image: borrowing VipsImageHandle) throws(VipsError) -> VipsImageHandle {
        let image = try image.unshared()
        let rights = output.keepsCopyright ? ImageRights.texts(of: image) : [:]
        for name in image.fieldNames where !ImageEncoder.animation.contains(name) { image.remove(name) }
        // Savers write metadata only into existing EXIF.
        if keepsMetadata { ImageRights.attach(rights, to: image, hasOrientation: true) }
        if let orientation = output.orientation { image.set("orientation", to: orientation) }
        return image
    }
}
