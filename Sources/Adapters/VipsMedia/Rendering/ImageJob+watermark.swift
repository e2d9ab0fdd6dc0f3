internal import CVips
internal import Domain

extension ImageJob {
    /// The image with the marks composited in order.
    func marked(_ image: borrowing VipsImageHandle, with watermark: Watermark) throws -> VipsImageHandle {
        var result = image.shared()
        for mark in watermark.marks {
            let size = result.size
            switch mark.content {
            case .image(let content):
                guard let picture = try picture(content, on: size, opacity: mark.opacity) else { continue }
                result = try result.laying(picture, at: mark.corner(of: picture.size, in: size))
            case .text(let content):
                guard let text = try text(content) else { continue }
                let picture = try text.colored(content.color, opacity: mark.opacity)
                result = try result.laying(picture, at: mark.corner(of: picture.size, in: size))
            case .tiles(let content, let degrees, let gapX, let gapY):
                guard let text = try text(content) else { continue }
                let tile = try text.tile(turnedBy: degrees, gapX: gapX, gapY: gapY, over: size)
                result = try result.laying(tile.colored(content.color, opacity: mark.opacity), at: (0, 0))
            }
        }
        return result
    }

    /// The image of a mark, scaled for an image of the given size.
    ///
    /// - Throws: ``ServiceError/Code/notAnImage`` naming the watermark, and the errors of ``JobWatch/check()``.
    private func picture(
        _ mark: Watermark.ImageMark,
        on size: ImageSize,
        opacity: Int
    ) throws -> VipsImageHandle? {
        try watch.reading(refusing: ServiceError.unreadableMark) {
            try decodedPicture(mark, on: size, opacity: opacity)
        }
    }

    private func decodedPicture(
        _ mark: Watermark.ImageMark,
        on size: ImageSize,
        opacity: Int
    ) throws -> VipsImageHandle? {
        guard let (header, input) = marks[mark.key] else { return nil }
        let decoder = ImageDecoder(header: header, effort: plan.output.effort, watch: watch)
        let target = mark.size(of: header.uprightSize, on: size)
        let image = try decoder.open(input, isUpright: true, size: target).colored()
        // The base image is computed from top to bottom, and can read the mark many times.
        let solid = try watch.materialized(image.hasAlpha ? image.shared() : image.applying("addalpha", cvips_addalpha))
        guard opacity < 100 else { return solid }
        let color = try solid.applying("extract_band") { cvips_extract_bands($0, $1, 0, 3) }
        let alpha = try solid.applying("extract_band") { cvips_extract_bands($0, $1, 3, 1) }
        return try color.joined(alpha.scaled(by: opacity))
    }

    /// A text as a mask; `nil` if it has no visible characters.
    private func text(_ mark: Watermark.TextMark) throws -> VipsImageHandle? {
        guard mark.text.contains(where: { !$0.isWhitespace }) else { return nil }
        do throws(VipsError) {
            return try TextFonts.mask(of: mark.markup, in: mark.font ?? "sans-serif", pixels: mark.pixels)
        } catch {
            throw ServiceError(
                .badImageRequest,
                "Bad image request: the watermark's text cannot be rendered.",
                cause: error
            )
        }
    }
}

extension Watermark.TextMark {
    /// The text as Pango markup.
    fileprivate var markup: String {
        // By scalars: a sign that a combining mark follows is another character for Swift, but the same for Pango.
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}

extension VipsImageHandle {
    /// This image with another one composited on it; its transparency does not change.
    fileprivate func laying(_ over: borrowing VipsImageHandle, at corner: (x: Int, y: Int)) throws -> VipsImageHandle {
        let over = over.shared()
        let laid = try applying("composite") { cvips_composite($0, over.pointer, $1, CInt(corner.x), CInt(corner.y)) }
        return try hasAlpha ? laid : laid.applying("extract_band") { cvips_extract_bands($0, $1, 0, 3) }
    }

    /// An image of one colour with a mask as its alpha.
    fileprivate func colored(_ color: Color, opacity: Int) throws(VipsError) -> VipsImageHandle {
        let numbers = [Double(color.red), Double(color.green), Double(color.blue)]
        guard let plane = vips_image_new_from_image(pointer, numbers, 3) else { throw VipsError.take("constant") }
        return try VipsImageHandle(owning: plane).joined(scaled(by: opacity))
    }

    /// The mask scaled by a percentage.
    fileprivate func scaled(by percent: Int) throws(VipsError) -> VipsImageHandle {
        try applying("linear") { cvips_scale_values($0, $1, Double(percent) / 100) }
    }

    /// The colours with an alpha channel.
    fileprivate func joined(_ alpha: borrowing VipsImageHandle) throws(VipsError) -> VipsImageHandle {
        let alpha = alpha.pointer
        let joined = try applying("bandjoin") { cvips_bandjoin($0, alpha, $1) }
        return try joined.applying("copy", cvips_copy_as_srgb)
    }

    /// The mask rotated, and repeated across an area.
    fileprivate func tile(
        turnedBy degrees: Int,
        gapX: Int,
        gapY: Int,
        over area: ImageSize
    ) throws(VipsError) -> VipsImageHandle {
        guard let black = vips_array_double_new([0.0], 1) else { throw VipsError.take("array") }
        defer { cvips_array_unref(black) }
        let turned = try turned(by: degrees, onto: size.rotated(by: degrees), black)
        let cell = ImageSize(width: turned.size.width + gapX, height: turned.size.height + gapY)
        let spaced = try turned.applying("gravity") { cvips_extend($0, $1, CInt(cell.width), CInt(cell.height)) }
        let block = try spaced.block()
        let across = area.width / block.size.width + 1
        let down = area.height / block.size.height + 1
        let all = try block.applying("replicate") { cvips_replicate($0, $1, CInt(across), CInt(down)) }
        return try all.applying("extract_area") {
            cvips_extract_area($0, $1, 0, 0, CInt(area.width), CInt(area.height))
        }
    }

    /// The cell of a tiling, repeated in memory until it is at least 64 pixels wide and high.
    ///
    /// libvips paints each cell of a tiling by itself, so that an image of tiny cells would take seconds.
    func block() throws(VipsError) -> VipsImageHandle {
        let across = (63 + size.width) / size.width
        let down = (63 + size.height) / size.height
        guard across > 1 || down > 1 else { return shared() }
        let block = try applying("replicate") { cvips_replicate($0, $1, CInt(across), CInt(down)) }
        guard let copy = vips_image_copy_memory(block.pointer) else { throw VipsError.take("copy_memory") }
        return VipsImageHandle(owning: copy)
    }
}
