/// `watermark/1` to `watermark/4`: marks laid over an image, in the order written (protocol/files 5.6).
package struct Watermark: Sendable, Hashable {
    /// At least one.
    package let marks: [Mark]

    /// Takes checked marks.
    package init(_ marks: [Mark]) {
        self.marks = marks
    }

    /// One mark and where it lies.
    package struct Mark: Sendable, Hashable {
        /// What is laid over the image.
        package var content: Content
        /// In percent, 1 to 100.
        package var opacity = 100
        /// The edge or corner that it lies at.
        package var gravity = Gravity.southEast
        /// From that edge, in pixels; from the centre, to the right.
        package var dx = 10
        /// From that edge, in pixels; from the centre, down.
        package var dy = 10

        /// A mark at its default place.
        package init(_ content: Content) {
            self.content = content
        }
    }

    /// What is laid over an image.
    package enum Content: Sendable, Hashable {
        /// An image of the same app.
        case image(ImageMark)
        /// A line of text.
        case text(TextMark)
        /// The same text all over the image: turned by degrees, so many pixels free between two.
        case tiles(TextMark, degrees: Int, gapX: Int, gapY: Int)
    }

    /// An image as a mark.
    package struct ImageMark: Sendable, Hashable {
        /// The file, of the same app.
        package let key: FileKey
        /// Its size as a part of the image's short side (above 0 to 1); `nil` means its own.
        package let scale: Double?
        /// What ``scale`` scales (`wst`).
        package let scaling: MarkScaling

        /// Takes checked values.
        package init(key: FileKey, scale: Double? = nil, scaling: MarkScaling = .shortSide) {
            self.key = key
            self.scale = scale
            self.scaling = scaling
        }
    }

    /// What `ws` is a part of (`wst`).
    package enum MarkScaling: Int, Sendable, Hashable {
        /// The mark's short side gets a part of the image's short side.
        case shortSide = 0
        /// The mark's long side gets a part of the image's long side.
        case longSide = 1
        /// The mark's width gets a part of the image's width.
        case width = 2
        /// The mark's height gets a part of the image's height.
        case height = 3
    }

    /// A text as a mark.
    package struct TextMark: Sendable, Hashable {
        /// Any text of one line.
        package var text: String
        /// The name of a font family; `nil` means the server's own.
        package var font: String?
        /// In twentieths of a point at 72 points an inch, so in twentieths of a pixel.
        package var size = TextMark.defaultSize
        /// White if nothing is said.
        package var color = Color.white

        /// The font's height in pixels.
        package var pixels: Double { Double(size) / 20 }

        /// About the most pixels that the drawn text has: each character a square, and as much for what sticks out.
        var area: Int { Int(pixels * pixels * 2) * text.unicodeScalars.count }

        /// 12 pixels.
        package static let defaultSize = 240

        /// A text in the default font, size and colour.
        package init(_ text: String) {
            self.text = text
        }
    }

    /// The files that are laid over, in the order of the marks.
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
