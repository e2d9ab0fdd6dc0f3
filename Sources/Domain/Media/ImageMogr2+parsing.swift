extension ImageMogr2 {
    /// The maximum number of steps of one operator, so that a short URL cannot request hours of work.
    static let maxSteps = 32

    /// Parses the parameters of `imageMogr2` (protocol/files 5.4); drops steps without effect.
    init(_ scanner: inout OperatorScanner, context: ImageParsingContext) throws {
        self.init()
        var gravity = Gravity.northWest
        var count = 0
        while let name = scanner.next() {
            switch name {
            case "auto-orient", "thumbnail", "crop", "rotate", "blur", "sharpen":
                count += 1
                guard count <= ImageMogr2.maxSteps else {
                    throw ImageRequest.refusal("'imageMogr2' has more than \(ImageMogr2.maxSteps) steps, the limit")
                }
                if let step = try Step(name, &scanner, gravity: gravity, after: steps) { steps.append(step) }
            // Applies to the following crops, so it can occur several times.
            case "gravity": gravity = try scanner.parameter(name, repeats: true).gravity()
            case "q", "quality": try encoding.take(scanner.parameter(name, as: "quality"))
            case "format", "interlace", "colors": try encoding.take(scanner.parameter(name))
            case "strip":
                try scanner.once(name)
                strips = true
            case "background": background = try scanner.parameter(name).color()
            case "size-limit": sizeLimit = try SizeLimit(scanner.parameter(name), fileSize: context.fileSize)
            case "ignore-error": ignoresErrors = try scanner.parameter(name).isOn()
            default: throw scanner.unknown(name)
            }
        }
    }
}

extension ImageMogr2.Step {
    /// Parses a step; `nil` if it has no effect.
    fileprivate init?(
        _ name: Substring,
        _ scanner: inout OperatorScanner,
        gravity: Gravity,
        after steps: [ImageMogr2.Step]
    ) throws {
        guard name != "auto-orient" else {
            // An earlier step has already applied the orientation.
            guard !steps.contains(.autoOrient) else { return nil }
            self = .autoOrient
            return
        }
        let parameter = try scanner.parameter(name, repeats: true)
        switch name {
        case "thumbnail":
            guard let scaling = try ThumbnailGeometry(parameter) else { return nil }
            self = .thumbnail(scaling)
        case "crop":
            guard let cut = try Crop(parameter, gravity: gravity) else { return nil }
            self = .crop(cut)
        case "rotate":
            let degrees = try parameter.wholeNumber(in: 1...360)
            guard degrees < 360 else { return nil }
            self = .rotate(degrees)
        case "blur":
            guard let blur = try ImageMogr2.Step(blur: parameter) else { return nil }
            self = blur
        default:
            guard try parameter.isOn() else { return nil }
            self = .sharpen
        }
    }

    /// Parses the parameter of a blur; `nil` with a sigma of 0, which leaves the image as it is: Qiniu's style editor writes
    /// `1x0`.
    private init?(blur parameter: ImageParameter) throws {
        var scanner = GeometryScanner(parameter.value)
        guard let radius = scanner.number(), scanner.take("x"), let sigma = scanner.number(), scanner.isAtEnd,
            1...50 ~= radius.rounded, 0...50 ~= sigma.value
        else { throw parameter.refused("<radius 1 to 50>x<sigma 0 to 50>") }
        guard sigma.value > 0 else { return nil }
        self = .blur(radius: radius.rounded, sigma: sigma.value)
    }
}

extension ImageMogr2.SizeLimit {
    /// The largest value; larger than any result.
    private static let most = 1 << 40

    /// Parses `15000`, `15k` (1024 bytes each), `2m` or `$(fsize)`, with an optional `!`.
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
