extension ImageView {
    /// Parses the parameters of `imageView` or `imageView2` (protocol/files 5.2, 5.3).
    init(_ scanner: inout OperatorScanner, limits: ImageLimits) throws {
        let isLegacy = scanner.name == "imageView"
        guard let mode = scanner.next().flatMap({ Mode($0, isLegacy: isLegacy) }) else {
            throw ImageRequest.refusal(
                "'\(scanner.name)' needs a mode, \(isLegacy ? "1 or 2" : "0 to 5"): \(scanner.name)/2/w/200"
            )
        }
        self.init(mode: mode, width: nil, height: nil, isLegacy: isLegacy)
        while let name = scanner.next() {
            switch name {
            case "w": width = try scanner.parameter(name).side(upTo: limits.resultSide)
            case "h": height = try scanner.parameter(name).side(upTo: limits.resultSide)
            case "q", "format", "interlace", "colors": try encoding.take(scanner.parameter(name))
            case "ignore-error": ignoresErrors = try scanner.parameter(name).isOn()
            default: throw scanner.unknown(name)
            }
        }
        if mode.isSquareByDefault {
            width = width ?? height
            height = height ?? width
        }
    }
}

extension ImageView.Mode {
    fileprivate init?(_ name: Substring, isLegacy: Bool) {
        guard name.utf8.count == 1, let number = Int(name), let mode = ImageView.Mode(rawValue: number),
            !isLegacy || mode == .cut || mode == .inside
        else { return nil }
        self = mode
    }

    /// Whether a missing side is equal to the other one; otherwise it sets no limit.
    fileprivate var isSquareByDefault: Bool {
        switch self {
        case .insideByLength, .inside: false
        case .cut, .around, .aroundByLength, .cutByLength: true
        }
    }
}

extension EncodingParameters {
    /// Parses `q` or `quality`, `format`, `interlace` or `colors` (protocol/files 5.3).
    mutating func take(_ parameter: ImageParameter) throws {
        switch parameter.name {
        case "format":
            guard let known = ImageFormat(name: parameter.value) else {
                throw parameter.refused("jpg, jpeg, png, webp, gif or avif")
            }
            format = known
        case "interlace": isProgressive = try parameter.isOn()
        // A palette has at least two colours.
        case "colors": colors = max(2, try parameter.wholeNumber(in: 1...256))
        default:
            isQualityForced = parameter.value.utf8.last == UInt8(ascii: "!")
            let number = PlainNumber(parameter.value.utf8.dropLast(isQualityForced ? 1 : 0))
            guard let number, 1...100 ~= number.rounded else { throw parameter.refused("a number from 1 to 100") }
            quality = number.rounded
        }
    }
}
