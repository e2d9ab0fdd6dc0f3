extension ImageMogr {
    /// The most steps of one operator, so that a short URL cannot ask for hours of work.
    static let mostSteps = 32

    /// Parses the parameters of `imageMogr2` (protocol/files 5.4); steps without effect are left out.
    init(_ words: inout ImageWords, context: ImageWordContext) throws {
        self.init()
        var gravity = Gravity.northWest
        var count = 0
        while let word = words.next() {
            switch word {
            case "auto-orient", "thumbnail", "crop", "rotate", "blur", "sharpen":
                count += 1
                guard count <= ImageMogr.mostSteps else {
                    throw ImageRequest.refusal("'imageMogr2' has more than \(ImageMogr.mostSteps) steps, the limit")
                }
                if let step = try Step(word, &words, gravity: gravity, after: steps) { steps.append(step) }
            // Holds for the crops behind it, and so may change between them.
            case "gravity": gravity = try words.parameter(word, repeats: true).gravity()
            case "q", "quality": try encoding.take(words.parameter(word, as: "quality"))
            case "format", "interlace", "colors": try encoding.take(words.parameter(word))
            case "strip":
                try words.once(word)
                strips = true
            case "background": background = try words.parameter(word).color()
            case "size-limit": sizeLimit = try SizeLimit(words.parameter(word), fileSize: context.fileSize)
            case "ignore-error": ignoresErrors = try words.parameter(word).isOn()
            default: throw words.unknown(word)
            }
        }
    }
}

extension ImageMogr.Step {
    /// Reads a step; `nil` if it changes no image.
    fileprivate init?(
        _ word: Substring,
        _ words: inout ImageWords,
        gravity: Gravity,
        after steps: [ImageMogr.Step]
    ) throws {
        guard word != "auto-orient" else {
            // The first one has already applied the orientation.
            guard !steps.contains(.autoOrient) else { return nil }
            self = .autoOrient
            return
        }
        let parameter = try words.parameter(word, repeats: true)
        switch word {
        case "thumbnail":
            guard let scaling = try Scaling(parameter) else { return nil }
            self = .thumbnail(scaling)
        case "crop":
            guard let cut = try Cut(parameter, gravity: gravity) else { return nil }
            self = .crop(cut)
        case "rotate":
            let degrees = try parameter.wholeNumber(in: 1...360)
            guard degrees < 360 else { return nil }
            self = .rotate(degrees)
        case "blur":
            self = try ImageMogr.Step(blur: parameter)
        default:
            guard try parameter.isOn() else { return nil }
            self = .sharpen
        }
    }

    private init(blur parameter: ImageParameter) throws {
        var scanner = GeometryScanner(parameter.value)
        guard let radius = scanner.number(), scanner.take("x"), let sigma = scanner.number(), scanner.isAtEnd,
            1...50 ~= radius.rounded, sigma.value > 0, sigma.value <= 50
        else { throw parameter.refused("<radius 1 to 50>x<sigma above 0, to 50>") }
        self = .blur(radius: radius.rounded, sigma: sigma.value)
    }
}

extension ImageMogr.SizeLimit {
    /// Far beyond any result.
    private static let most = 1 << 40

    /// Reads `15000`, `15k` (1024 bytes each), `2m`, `$(fsize)`, each perhaps with `!`.
    fileprivate init(_ parameter: ImageParameter, fileSize: Int64) throws {
        var text = parameter.value.utf8[...]
        let isStrict = text.last == UInt8(ascii: "!")
        if isStrict { text.removeLast() }
        guard Substring(text) != "$(fsize)" else {
            self.init(bytes: Int(clamping: max(1, min(fileSize, Int64(Self.most)))), isStrict: isStrict)
            return
        }
        var unit = 1
        if text.last == UInt8(ascii: "k") { unit = 1 << 10 }
        if text.last == UInt8(ascii: "m") { unit = 1 << 20 }
        if unit > 1 { text.removeLast() }
        guard let number = PlainNumber(text), number.rounded <= Self.most else { throw Self.refused(parameter) }
        let bytes = (number.value * Double(unit)).rounded()
        guard 1...Double(Self.most) ~= bytes else { throw Self.refused(parameter) }
        self.init(bytes: Int(bytes), isStrict: isStrict)
    }

    private static func refused(_ parameter: ImageParameter) -> ServiceError {
        parameter.refused("bytes from 1 to \(most), such as 15000, 15k, 2m or $(fsize), perhaps with !")
    }
}
