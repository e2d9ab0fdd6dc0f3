extension Crop {
    /// Parses the value of `crop` (protocol/files 5.4); `nil` if it crops nothing.
    init?(_ parameter: ImageParameter, gravity: Gravity) throws {
        var scanner = GeometryScanner(parameter.value)
        let width = scanner.number()
        guard scanner.take("x") else { throw Crop.malformed(parameter) }
        let height = scanner.number()
        var dx = 0
        var dy = 0
        if !scanner.isAtEnd {
            dx = try Crop.offset(&scanner, parameter)
            dy = try Crop.offset(&scanner, parameter)
        }
        guard scanner.isAtEnd else { throw Crop.malformed(parameter) }
        let cut = Crop(
            width: try parameter.side(width),
            height: try parameter.side(height),
            dx: dx,
            dy: dy,
            gravity: gravity
        )
        guard cut.width != nil || cut.height != nil || dx != 0 || dy != 0 else { return nil }
        self = cut
    }

    private static func offset(_ scanner: inout GeometryScanner, _ parameter: ImageParameter) throws -> Int {
        guard let sign = scanner.sign(), sign == "+" || sign == "-", let number = scanner.number() else {
            throw malformed(parameter)
        }
        guard number.rounded <= ImageParameter.largestSide else {
            throw parameter.refused("of offsets up to \(ImageParameter.largestSide)")
        }
        return sign == "-" ? -number.rounded : number.rounded
    }

    private static func malformed(_ parameter: ImageParameter) -> ServiceError {
        parameter.refused("a size such as 300x400, 300x, x400 or !300x400a10a20 with both offsets")
    }
}
