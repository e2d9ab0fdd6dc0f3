internal import CVips
internal import Synchronization

/// The fonts of recent texts, which the next texts use again.
///
/// The process renders one text at a time, because cairo 1.16 deadlocks or crashes if several threads render texts in
/// different fonts. Clients choose families and sizes, and Pango and cairo retain each font and the pixels of its
/// glyphs; so all fonts are freed together when they reach one of the limits below.
struct TextFonts {
    /// The maximum number of font descriptions; opening the fonts of one takes one to five milliseconds.
    private static let capacity = 16
    /// The maximum of the estimated bytes of glyphs.
    private static let glyphBytes = 16e6

    private static let shared = Mutex(TextFonts())

    /// The font map; `nil` before the first text and after each release.
    private var map: UnsafeMutableRawPointer?
    /// Pango's font descriptions of the texts since the last release.
    private var descriptions: Set<String> = []
    /// The estimated bytes of the glyphs that were rendered since the last release.
    private var usedBytes = 0.0

    /// Renders Pango markup as a mask of one band, in which one point is one pixel.
    ///
    /// - Parameters:
    ///   - markup: A line of text with at least one visible character.
    ///   - family: The name of a font family, perhaps with a style.
    ///   - pixels: The size of the font.
    /// - Returns: The mask, as large as what is visible.
    /// - Throws: An error if the markup is not valid, or has no visible character.
    static func mask(of markup: String, in family: String, pixels: Double) throws(VipsError) -> VipsImageHandle {
        let address = shared.withLock { fonts in
            UInt(bitPattern: fonts.render(markup, in: "\(family), \(pixels)", pixels: pixels))
        }
        guard let image = UnsafeMutablePointer<VipsImage>(bitPattern: address) else { throw VipsError.take("text") }
        return VipsImageHandle(owning: image)
    }

    private mutating func render(
        _ markup: String,
        in description: String,
        pixels: Double
    ) -> UnsafeMutablePointer<VipsImage>? {
        if descriptions.count == TextFonts.capacity, !descriptions.contains(description) { release() }
        descriptions.insert(description)
        // A glyph takes about a square of the font's size, and a character at least a byte.
        usedBytes += pixels * pixels * Double(markup.utf8.count)
        let map = map ?? cvips_fonts_new()
        self.map = map
        var image: UnsafeMutablePointer<VipsImage>?
        let status = cvips_text(&image, map, markup, description)
        if usedBytes > TextFonts.glyphBytes { release() }
        return status == 0 ? image : nil
    }

    private mutating func release() {
        if let map { cvips_fonts_free(map) }
        map = nil
        descriptions = []
        usedBytes = 0
    }
}
