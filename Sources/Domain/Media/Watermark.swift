/// `watermark/1` to `watermark/4`: marks composited on an image, in the order of the URL (protocol/files 5.6).
package struct Watermark: Sendable, Hashable {
    /// At least one mark.
    package let marks: [Mark]

    /// Creates a watermark from checked marks.
    package init(_ marks: [Mark]) {
        self.marks = marks
    }

    /// One mark and its position.
    package struct Mark: Sendable, Hashable {
        /// The image or text.
        package var content: Content
        /// The opacity in percent, 1 to 100.
        package var opacity = 100
        /// The edge or corner at which the mark is placed.
        package var gravity = Gravity.southEast
        /// The distance from that edge in pixels; from the centre, to the right.
        package var dx = 10
        /// The distance from that edge in pixels; from the centre, downwards.
        package var dy = 10

        /// Creates a mark at the default position.
        package init(_ content: Content) {
            self.content = content
        }
    }

    /// The content of a mark.
    package enum Content: Sendable, Hashable {
        /// An image of the same app.
        case image(ImageMark)
        /// A line of text.
        case text(TextMark)
        /// The same text across the whole image: rotated by degrees, with gaps in pixels.
        case tiles(TextMark, degrees: Int, gapX: Int, gapY: Int)
    }

    /// An image as a mark.
    package struct ImageMark: Sendable, Hashable {
        /// The file, of the same app.
        package let key: FileKey
        /// Its size as a fraction of a side of the image (above 0, at most 1); `nil` means its own size.
        package let scale: Double?
        /// The side that ``scale`` refers to (`wst`).
        package let scaling: MarkScaling

        /// Creates an image mark from checked values.
        package init(key: FileKey, scale: Double? = nil, scaling: MarkScaling = .shortSide) {
            self.key = key
            self.scale = scale
            self.scaling = scaling
        }
    }

    /// The side that `ws` refers to (`wst`).
    package enum MarkScaling: Int, Sendable, Hashable {
        /// The mark's short side is a fraction of the image's short side.
        case shortSide = 0
        /// The mark's long side is a fraction of the image's long side.
        case longSide = 1
        /// The mark's width is a fraction of the image's width.
        case width = 2
        /// The mark's height is a fraction of the image's height.
        case height = 3
    }

    /// A text as a mark.
    package struct TextMark: Sendable, Hashable {
        /// Any text of one line.
        package var text: String
        /// The name of a font family; `nil` means the server's default font.
        package var font: String?
        /// The size in twentieths of a point at 72 dpi, which are twentieths of a pixel.
        package var size = TextMark.defaultSize
        /// White by default.
        package var color = Color.white

        /// The font size in pixels.
        package var pixels: Double { Double(size) / 20 }

        /// The estimated maximum number of pixels of the rendered text: two squares of the font size for each
        /// character.
        var area: Int { Int(pixels * pixels * 2) * text.unicodeScalars.count }

        /// 12 pixels.
        package static let defaultSize = 240

        /// Creates a text in the default font, size and colour.
        package init(_ text: String) {
            self.text = text
        }
    }

    /// The files of the image marks, in the order of the marks.
    var keys: [FileKey] {
        marks.compactMap { if case .image(let mark) = $0.content { mark.key } else { nil } }
    }

    var canonical: String {
        "watermark/3" + marks.map(\.canonical).joined()
    }
}

extension Watermark.Mark {
    fileprivate var canonical: String {
        let place = "/dissolve/\(opacity)/gravity/\(gravity.rawValue)/dx/\(dx)/dy/\(dy)"
        return switch content {
        case .image(let mark):
            "/image/\(mark.key.description.utf8.base64URL)/ws/\(mark.scale ?? 0)/wst/\(mark.scaling.rawValue)" + place
        case .text(let mark):
            "/text/\(mark.canonical)" + place
        case .tiles(let mark, let degrees, let gapX, let gapY):
            "/tiles/\(mark.canonical)/rotate/\(degrees)/uw/\(gapX)/uh/\(gapY)/dissolve/\(opacity)"
        }
    }
}

extension Watermark.TextMark {
    fileprivate var canonical: String {
        "\(Array(text.utf8).base64URL)/font/\(Array((font ?? "").utf8).base64URL)/fontsize/\(size)/fill/\(color)"
    }
}
