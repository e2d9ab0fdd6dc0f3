extension ThumbnailGeometry {
    /// Parses the value of `thumbnail` (protocol/files 5.4); `nil` if it has no effect.
    ///
    /// If one of the two sides is missing, it follows from the other one, with any sign at the end.
    init?(_ parameter: ImageParameter) throws {
        var scanner = GeometryScanner(parameter.value)
        let first = scanner.number()
        if let first, scanner.take("@") {
            guard scanner.isAtEnd else { throw ThumbnailGeometry.malformed(parameter) }
            guard 1...ThumbnailGeometry.largestWrittenArea ~= first.rounded else {
                throw parameter.refused("of 1 to \(ThumbnailGeometry.largestWrittenArea) pixels")
            }
            self = .area(first.rounded)
            return
        }
        let isFirstPercent = scanner.take("%")
        guard scanner.take("x") else {
            guard let first, isFirstPercent, scanner.isAtEnd else { throw ThumbnailGeometry.malformed(parameter) }
            try self.init(percent: first, first, parameter)
            return
        }
        let second = scanner.number()
        let isSecondPercent = scanner.take("%")
        if isFirstPercent || isSecondPercent {
            // Percentages and pixels cannot be combined.
            guard scanner.isAtEnd, isFirstPercent == (first != nil), isSecondPercent == (second != nil) else {
                throw ThumbnailGeometry.malformed(parameter)
            }
            try self.init(percent: first, second, parameter)
            return
        }
        let sign = scanner.sign()
        guard scanner.isAtEnd else { throw ThumbnailGeometry.malformed(parameter) }
        try self.init(width: first, height: second, sign: sign, parameter)
    }

    private init?(percent first: PlainNumber?, _ second: PlainNumber?, _ parameter: ImageParameter) throws {
        /// The value of a percentage; `nil` for 0 and 100, which leave the side unchanged.
        func percentage(_ number: PlainNumber?) throws -> Double? {
            guard let value = number?.value, value != 0, value != 100 else { return nil }
            guard value <= 1000 else { throw parameter.refused("of 0 to 1000 percent") }
            return value
        }
        let width = try percentage(first)
        let height = try percentage(second)
        guard width != nil || height != nil else { return nil }
        self = .percent(width: width, height: height)
    }

    private init?(
        width first: PlainNumber?,
        height second: PlainNumber?,
        sign: Unicode.Scalar?,
        _ parameter: ImageParameter
    ) throws {
        let width = try parameter.side(first)
        let height = try parameter.side(second)
        guard sign.map({ "!><^".unicodeScalars.contains($0) }) ?? true else {
            throw ThumbnailGeometry.malformed(parameter)
        }
        switch (sign, width, height) {
        case (_, nil, nil): return nil
        case (">", _, _): self = .shrink(width: width, height: height)
        case ("<", _, _): self = .enlarge(width: width, height: height)
        case ("!", let width?, let height?): self = .exact(width: width, height: height)
        case ("^", let width?, let height?): self = .cover(width: width, height: height)
        default: self = .fit(width: width, height: height)
        }
    }

    /// The area of the largest sides.
    private static let largestWrittenArea = ImageParameter.largestSide * ImageParameter.largestSide

    private static func malformed(_ parameter: ImageParameter) -> ServiceError {
        parameter.refused("a size such as 200x, x150, 400x300, 400x300!, !50p or 250000@")
    }
}
