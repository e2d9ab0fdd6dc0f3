internal import CVips
package import Domain
package import NIOPosix

/// Draws captchas: libvips renders the characters and writes the PNG, and the pixels between are computed here.
package struct VipsCaptchaPainter: CaptchaPainter {
    private let pool: NIOThreadPool
    private let admission: Admission

    /// Starts libvips if this is its first use in the process.
    ///
    /// - Parameters:
    ///   - pool: Started threads; a picture takes about a millisecond of one.
    ///   - limit: The maximum number of pictures that are drawn and wait together.
    /// - Throws: An error if libvips cannot start.
    package init(pool: NIOThreadPool, limit: Int = 256) throws {
        try VipsLibrary.start()
        self.pool = pool
        admission = Admission(limit: limit, refusal: "Too many captchas are being drawn; try again in a second.")
    }

    package func paint(_ picture: CaptchaPicture) async throws -> [UInt8] {
        try await admission.run {
            try await pool.runIfActive { try VipsCaptchaPainter.png(of: picture) }
        }
    }

    private static func png(of picture: CaptchaPicture) throws -> [UInt8] {
        let masks = try picture.characters.map { try GlyphMask($0) }
        let pixels = CaptchaCanvas(picture, masks).pixels
        let size = ImageSize(width: picture.width, height: picture.height)
        let image = try VipsImageHandle(pixels[...], size: size, bands: 3)
        let target = try VipsTargetHandle()
        guard cvips_pngsave(image.pointer, target.pointer, 6, 1) == 0 else { throw VipsError.take("save captcha") }
        return try target.withBytes { Array($0) }
    }
}

/// A character as a mask, larger than it is shown.
struct GlyphMask {
    let width: Int
    let height: Int
    private let samples: [UInt8]

    /// The size of the font in pixels.
    private static let pixels = 96.0

    init(_ character: Character) throws {
        let handle = try TextFonts.mask(of: String(character), in: "sans-serif bold", pixels: GlyphMask.pixels)
        (width, height) = (handle.size.width, handle.size.height)
        var count = 0
        guard let memory = vips_image_write_to_memory(handle.pointer, &count) else { throw VipsError.take("memory") }
        defer { g_free(memory) }
        samples = Array(UnsafeRawBufferPointer(start: memory, count: min(count, width * height)))
    }

    /// The opacity at a position, 0 to 1, interpolated; 0 outside.
    func opacity(_ x: Double, _ y: Double) -> Double {
        let (left, top) = (x.rounded(.down), y.rounded(.down))
        let (dx, dy) = (x - left, y - top)
        let (column, row) = (Int(left), Int(top))
        let upper = sample(column, row) * (1 - dx) + sample(column + 1, row) * dx
        let lower = sample(column, row + 1) * (1 - dx) + sample(column + 1, row + 1) * dx
        return (upper * (1 - dy) + lower * dy) / 255
    }

    private func sample(_ column: Int, _ row: Int) -> Double {
        guard (0..<width).contains(column), (0..<height).contains(row) else { return 0 }
        return Double(samples[row * width + column])
    }
}
