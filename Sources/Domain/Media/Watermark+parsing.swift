extension Watermark {
    /// The maximum number of marks in one operator, each of which can be an image to read.
    static let maxMarks = 16

    /// Parses the parameters of `watermark` (protocol/files 5.6).
    init(_ scanner: inout OperatorScanner, context: ImageParsingContext) throws {
        switch scanner.next() {
        case "1": self.init([try Mark(.image, Watermark.parameters(&scanner), context)])
        case "2": self.init([try Mark(.text, Watermark.parameters(&scanner), context)])
        case "3": self.init(try Watermark.marks(&scanner, context))
        case "4": self.init([try Mark(.tiles, Watermark.parameters(&scanner), context)])
        default: throw ImageRequest.refusal("'watermark' needs a form, 1 to 4: watermark/2/text/<Base64 for URLs>")
        }
    }

    private static func parameters(_ scanner: inout OperatorScanner) throws -> [ImageParameter] {
        var parameters: [ImageParameter] = []
        while let name = scanner.next() {
            guard MarkKind.allParameterNames.contains(name) else { throw scanner.unknown(name) }
            parameters.append(try scanner.parameter(name))
        }
        return parameters
    }

    /// Splits the parameters into marks; each `image` or `text` begins a new mark.
    private static func marks(_ scanner: inout OperatorScanner, _ context: ImageParsingContext) throws -> [Mark] {
        var groups: [[ImageParameter]] = []
        while let name = scanner.next() {
            guard MarkKind.allParameterNames.contains(name) else { throw scanner.unknown(name) }
            let parameter = try scanner.parameter(name, repeats: true)
            if name == "image" || name == "text" {
                guard groups.count < maxMarks else {
                    throw ImageRequest.refusal("'watermark/3' has more than \(maxMarks) marks, the limit")
                }
                groups.append([parameter])
            } else {
                guard let last = groups.indices.last else {
                    throw ImageRequest.refusal("'\(name)' must follow an image or text of 'watermark/3'")
                }
                guard !groups[last].contains(where: { $0.name == name }) else {
                    throw ImageRequest.refusal("'\(name)' occurs twice in one mark of 'watermark/3'")
                }
                groups[last].append(parameter)
            }
        }
        guard !groups.isEmpty else { throw ImageRequest.refusal("'watermark/3' needs an image or a text") }
        return try groups.map { try Mark($0.first?.name == "image" ? .image : .text, $0, context) }
    }
}

/// The kind of a mark, which determines its parameters.
private enum MarkKind {
    case image
    case text
    case tiles

    static let allParameterNames: Set<Substring> = image.parameterNames.union(text.parameterNames).union(
        tiles.parameterNames
    )

    var parameterNames: Set<Substring> {
        switch self {
        case .image: ["image", "ws", "wst", "dissolve", "gravity", "dx", "dy"]
        case .text: ["text", "font", "fontsize", "fill", "dissolve", "gravity", "dx", "dy"]
        case .tiles: ["text", "font", "fontsize", "fill", "dissolve", "rotate", "uw", "uh"]
        }
    }

    /// The name in error messages.
    var description: String {
        switch self {
        case .image: "an image"
        case .text: "a text"
        case .tiles: "the tiles of 'watermark/4'"
        }
    }
}

extension Watermark.Mark {
    /// Parses the parameters of one mark, each at most once.
    fileprivate init(_ kind: MarkKind, _ parameters: [ImageParameter], _ context: ImageParsingContext) throws {
        var key: FileKey?
        var scale: Double?
        var scaling = Watermark.MarkScaling.shortSide
        var text = Watermark.TextMark("")
        var tiling = (degrees: 0, gapX: 100, gapY: 100)
        self.init(.text(text))
        for parameter in parameters {
            guard kind.parameterNames.contains(parameter.name) else {
                throw ImageRequest.refusal("'\(parameter.name)' is not a parameter of \(kind.description)")
            }
            switch parameter.name {
            case "image": key = try parameter.ownKey(context)
            case "ws": scale = try parameter.positiveNumber(upTo: 1)
            case "wst": scaling = try Watermark.MarkScaling(rawValue: parameter.wholeNumber(in: 0...3)) ?? .shortSide
            case "text": text.text = try parameter.line(upTo: context.limits.textLength)
            case "font": text.font = try parameter.fontName()
            case "fontsize":
                let size = try parameter.wholeNumber(in: 0...20_000)
                text.size = size == 0 ? Watermark.TextMark.defaultSize : size
            case "fill": text.color = try parameter.color()
            case "dissolve": opacity = try parameter.wholeNumber(in: 1...100)
            case "gravity": gravity = try parameter.gravity()
            case "dx": dx = try parameter.offset(upTo: ImageParameter.largestSide)
            case "dy": dy = try parameter.offset(upTo: ImageParameter.largestSide)
            // A rotation by 360 degrees is no rotation.
            case "rotate": tiling.degrees = try parameter.wholeNumber(in: 0...360) % 360
            case "uw": tiling.gapX = try parameter.wholeNumber(in: 0...1000)
            default: tiling.gapY = try parameter.wholeNumber(in: 0...1000)
            }
        }
        switch kind {
        case .image:
            guard let key else { throw ImageRequest.refusal("'watermark/1' needs an image") }
            // `wst` has no effect without a scale.
            content = .image(
                Watermark.ImageMark(key: key, scale: scale, scaling: scale == nil ? .shortSide : scaling)
            )
        case .text:
            guard !text.text.isEmpty else { throw ImageRequest.refusal("'watermark/2' needs a text") }
            content = .text(text)
        case .tiles:
            guard !text.text.isEmpty else { throw ImageRequest.refusal("'watermark/4' needs a text") }
            content = .tiles(text, degrees: tiling.degrees, gapX: tiling.gapX, gapY: tiling.gapY)
        }
    }
}

extension ImageParameter {
    /// Parses a file of the same app; every other URL is refused, because a watermark must not cause a fetch.
    fileprivate func ownKey(_ context: ImageParsingContext) throws -> FileKey {
        let text = try text()
        // The maximum: an origin and a key with every byte escaped.
        guard text.utf8.count <= 4 * FileKey.maxLength, let key = context.ownKey(text) else {
            throw ImageRequest.refusal(
                "'\(name)' must be the Base64 of a file of this app, as its URL, kodo://<bucket>/<key> or its key, "
                    + "not of '\(text[...].excerpt)'"
            )
        }
        return key
    }

    /// Parses a text of one line with visible characters.
    fileprivate func line(upTo most: Int) throws -> String {
        let line = try text()[...].withoutControlCharacters
        guard line.unicodeScalars.count <= most else {
            throw ImageRequest.refusal("'\(name)' has more than \(most) characters, the limit (images.maxTextLength)")
        }
        guard !line.allSatisfy(\.isWhitespace) else {
            throw ImageRequest.refusal("'\(name)' must not consist of spaces only")
        }
        return line
    }

    /// Parses the name of a font family, which need not exist.
    fileprivate func fontName() throws -> String {
        let font = try text()
        guard 1...100 ~= font.unicodeScalars.count, !font.hasControlCharacters else {
            throw ImageRequest.refusal("'\(name)' must be the Base64 of a font family's name, up to 100 characters")
        }
        return font
    }
}
