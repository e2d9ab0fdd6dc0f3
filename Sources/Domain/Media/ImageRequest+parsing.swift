extension ImageRequest {
    /// Reads the query of a file's URL (file-protocol 5.1, 5.2, 5.8).
    ///
    /// Only the part before the first `&` counts. Ordinary parameters (`v=3`, `attname=…`) are no image words and
    /// give nothing: the file itself is meant. Anything else must be an operator that is known.
    ///
    /// - Throws: ``ServiceError/Code/badImageRequest`` naming the word that is wrong.
    package init?(query: some StringProtocol, limits: ImageLimits) throws {
        guard let decoded = query.prefix(while: { $0 != "&" }).percentDecoded else {
            throw ImageRequest.refusal("the query is not valid percent-encoded UTF-8")
        }
        guard !decoded.isEmpty else { return nil }
        var words = decoded.split(separator: "/", omittingEmptySubsequences: false)[...]
        let name = words.removeFirst()
        guard !name.contains("=") else { return nil }
        guard name == "imageView" else { throw ImageRequest.refusal("unknown operator '\(name.excerpt)'") }
        guard let mode = words.popFirst(), let fit = Fit(mode: mode) else {
            throw ImageRequest.refusal("imageView needs mode 1 or 2: imageView/2/w/200")
        }
        var parameters = Parameters(limits: limits)
        if words.last == "" { words.removeLast() }
        while let word = words.popFirst() {
            guard let value = words.popFirst() else { throw ImageRequest.refusal("'\(word.excerpt)' has no value") }
            try parameters.set(word, to: value)
        }
        guard parameters.width != nil || parameters.height != nil else {
            throw ImageRequest.refusal("imageView needs w, h or both")
        }
        // Mode 1 with one side is a square, as in imageView2.
        let square = fit == .cover
        self.init(
            fit: fit,
            width: parameters.width ?? (square ? parameters.height : nil),
            height: parameters.height ?? (square ? parameters.width : nil),
            quality: parameters.quality ?? 85,
            format: parameters.format
        )
        try limits.check(self)
    }

    static func refusal(_ what: String) -> ServiceError {
        ServiceError(.badImageRequest, "Bad image request: \(what).")
    }
}

extension ImageRequest.Fit {
    fileprivate init?(mode: Substring) {
        switch mode {
        case "1": self = .cover
        case "2": self = .inside
        default: return nil
        }
    }
}

private struct Parameters {
    let limits: ImageLimits
    var width: Int?
    var height: Int?
    var quality: Int?
    var format: ImageFormat?
    private var seen: Set<Substring> = []

    init(limits: ImageLimits) {
        self.limits = limits
    }

    mutating func set(_ word: Substring, to value: Substring) throws {
        guard ["w", "h", "q", "format"].contains(word) else {
            throw ImageRequest.refusal("unknown word '\(word.excerpt)'")
        }
        guard seen.insert(word).inserted else { throw ImageRequest.refusal("'\(word)' stands twice") }
        switch word {
        case "w": width = try side(word, value)
        case "h": height = try side(word, value)
        case "q": quality = try number(word, value, in: 1...100)
        default:
            guard let known = ImageFormat(word: value) else {
                throw ImageRequest.refusal("unknown format '\(value.excerpt)'; jpg, png, webp, gif and avif are known")
            }
            format = known
        }
    }

    /// Some SDKs let an app ask for 0, and mean that the side was not given.
    private func side(_ word: Substring, _ value: Substring) throws -> Int? {
        let side = try number(word, value, in: 0...limits.resultSide)
        return side == 0 ? nil : side
    }

    /// Some SDKs write whole numbers as `200.0`; fractions are rounded.
    private func number(_ word: Substring, _ value: Substring, in range: ClosedRange<Int>) throws -> Int {
        guard value.utf8.count <= 32, value.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }),
            let number = Double(value), number.isFinite, range.contains(Int(clamping: number))
        else {
            throw ImageRequest.refusal(
                "'\(word)' must be a number from \(range.lowerBound) to \(range.upperBound), not '\(value.excerpt)'"
            )
        }
        return Int(clamping: number)
    }
}

extension Int {
    /// The nearest whole number; numbers of any size are fine.
    fileprivate init(clamping number: Double) {
        self = Int(exactly: number.rounded()) ?? (number < 0 ? .min : .max)
    }
}

extension Substring {
    /// What an error may repeat of a word from outside.
    fileprivate var excerpt: String {
        count > 40 ? "\(prefix(40))…" : String(self)
    }
}
