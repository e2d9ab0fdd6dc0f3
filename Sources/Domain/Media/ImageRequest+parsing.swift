extension ImageRequest {
    /// Parses the query string of a file's URL (protocol/files 5.1 to 5.8).
    ///
    /// Only the part before the first `&` counts. The result is `nil` for ordinary parameters (`v=3`, `attname=…`),
    /// which request the file itself. Everything else must be a chain of known operators.
    ///
    /// - Throws: ``ServiceError/Code/badImageRequest`` naming the wrong parameter.
    package init?(query: some StringProtocol, context: ImageParsingContext) throws {
        guard let chain = try ImageRequest.chain(of: query) else { return nil }
        try self.init(chain: chain, context: context)
    }

    /// The chain in the query string of a file's URL, percent-decoded but not parsed; `nil` for ordinary parameters.
    ///
    /// - Throws: ``ServiceError/Code/badImageRequest`` if it cannot be decoded.
    package static func chain(of query: some StringProtocol) throws -> String? {
        // Found before percent-decoding, because the escapes of other parameters need not be UTF-8.
        guard let text = operators(in: query) else { return nil }
        guard let decoded = text.percentDecoded else {
            throw ImageRequest.refusal("the query is not valid percent-encoded UTF-8")
        }
        return decoded[...].beginsWithParameter ? nil : decoded
    }

    /// Whether a query string requests an image, valid or not, instead of the file itself.
    package static func isRequested(by query: some StringProtocol) -> Bool {
        guard let text = operators(in: query) else { return false }
        return !(text.percentDecoded?[...].beginsWithParameter ?? false)
    }

    /// The first parameter of a query string, not decoded, if it can be a chain; `nil` for ordinary parameters.
    ///
    /// A client that parses a query string as a form and writes it again (the URL standard's `searchParams`) makes
    /// `imageInfo=` of `imageInfo`. So an operator with an empty value is one without. If the chain has a `=`, such as
    /// the padding of a text, that client escapes the slashes before it. So an escaped slash ends a segment here, too.
    private static func operators(in query: some StringProtocol) -> Substring? {
        let text = firstParameter(of: query)
        guard !text.isEmpty else { return nil }
        if let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) {
            let name = Substring(text.utf8[..<sign])
            if let chain = name.percentDecoded, ImageOperator.isNamed(by: chain) {
                if text.utf8.index(after: sign) == text.utf8.endIndex { return name }
                if chain.utf8.contains(UInt8(ascii: "/")) { return text }
            }
        }
        return text.beginsWithParameter ? nil : text
    }

    private static func firstParameter(of query: some StringProtocol) -> Substring {
        Substring(String(query).utf8.prefix { $0 != UInt8(ascii: "&") })
    }

    /// Parses the chain of a style: not percent-encoded, and without further parameters.
    ///
    /// - Throws: ``ServiceError/Code/badImageRequest`` naming the wrong parameter.
    package init(chain: some StringProtocol, context: ImageParsingContext) throws {
        let text = Substring(String(chain))
        // All parameters are ASCII, and comparing other characters can take quadratic time: Unicode sorts combining
        // marks.
        if let segment = text.firstNonASCIISegment {
            throw ImageRequest.refusal("'\(segment.excerpt)' is not ASCII; texts and colours are Base64 for URLs")
        }
        let most = max(0, context.limits.operators)
        let texts = text.segments(between: "|", maxSplits: most)
        guard texts.count <= most else {
            throw ImageRequest.refusal("the chain has more than \(most) operators, the limit (images.maxOperators)")
        }
        let operators = try texts.map { try ImageOperator($0, context: context) }
        for (index, one) in operators.enumerated() where one.isInformation {
            if one == .info {
                guard index == operators.count - 1 else {
                    throw ImageRequest.refusal("'imageInfo' must be the last operator")
                }
            } else {
                guard operators.count == 1 else {
                    throw ImageRequest.refusal("'\(one.canonical)' must be the only operator")
                }
            }
        }
        self.init(operators)
    }

    static func refusal(_ what: String) -> ServiceError {
        ServiceError(.badImageRequest, "Bad image request: \(what).")
    }
}

extension ImageOperator {
    private static let names: Set<Substring> = [
        "imageView", "imageView2", "imageMogr2", "watermark", "imageslim", "imageInfo", "exif", "imageAve", "stat",
    ]

    /// Whether a decoded chain begins with the name of an operator.
    fileprivate static func isNamed(by chain: String) -> Bool {
        names.contains(chain.prefix { $0 != "/" && $0 != "|" })
    }

    fileprivate init(_ text: Substring, context: ImageParsingContext) throws {
        var scanner = OperatorScanner(text)
        switch scanner.name {
        case "imageView", "imageView2": self = .view(try ImageView(&scanner, limits: context.limits))
        case "imageMogr2": self = .mogr(try ImageMogr2(&scanner, context: context))
        case "watermark": self = .watermark(try Watermark(&scanner, context: context))
        case "imageslim": self = .slim(level: try ImageOperator.slimLevel(&scanner))
        case "imageInfo": self = .info
        case "exif": self = .exif
        case "imageAve": self = .average
        case "stat": self = .stat
        case "": throw ImageRequest.refusal("an operator is missing")
        default: throw ImageRequest.refusal("unknown operator '\(scanner.name.excerpt)'")
        }
        // Information operators have no parameters; the other operators have parsed theirs.
        if let name = scanner.next() { throw scanner.unknown(name) }
    }

    private static func slimLevel(_ scanner: inout OperatorScanner) throws -> Int {
        var level = 3
        while let name = scanner.next() {
            guard name == "zlevel" else { throw scanner.unknown(name) }
            level = try scanner.parameter(name).wholeNumber(in: 0...10)
        }
        return level
    }
}

extension Substring {
    fileprivate var firstNonASCIISegment: Substring? {
        guard let start = utf8.firstIndex(where: { $0 >= 0x80 }) else { return nil }
        func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "|") }
        let head = utf8[..<start].lastIndex(where: isSeparator).map(utf8.index(after:)) ?? startIndex
        let end = utf8[start...].firstIndex(where: isSeparator) ?? endIndex
        return Substring(utf8[head..<end])
    }

    /// Whether the first segment is `name=value`, and therefore not an operator.
    fileprivate var beginsWithParameter: Bool {
        utf8.prefix { $0 != UInt8(ascii: "/") }.contains(UInt8(ascii: "="))
    }
}
