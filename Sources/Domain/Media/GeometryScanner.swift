/// Reads `300x400` and what stands around it, in `thumbnail` and `crop`.
struct GeometryScanner {
    private var rest: ArraySlice<UInt8>

    /// Takes the value; a `!` at its beginning says that `p`, `r` and `a` stand for `%`, `^` and `+`.
    init(_ value: Substring) {
        rest = Array(value.utf8)[...]
        guard take("!") else { return }
        rest = rest.map { GeometryScanner.escapes[$0] ?? $0 }[...]
    }

    /// Whether all was read.
    var isAtEnd: Bool { rest.isEmpty }

    /// The number that stands next; nothing, and nothing read, if there is none.
    mutating func number() -> PlainNumber? {
        let digits = rest.prefix { $0 == UInt8(ascii: ".") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard let number = PlainNumber(digits) else { return nil }
        rest = rest[digits.endIndex...]
        return number
    }

    /// The sign that stands next, and whatever else does.
    mutating func sign() -> Unicode.Scalar? {
        rest.popFirst().map { Unicode.Scalar($0) }
    }

    /// Reads this sign if it stands next.
    mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: sign) else { return false }
        rest.removeFirst()
        return true
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "p"): UInt8(ascii: "%"),
        UInt8(ascii: "r"): UInt8(ascii: "^"),
        UInt8(ascii: "a"): UInt8(ascii: "+"),
    ]
}

extension ImageParameter {
    /// The most pixels of a side in `thumbnail` and `crop`, and of an offset; results have limits of their own.
    static let largestSide = 1_000_000

    /// A side within ``largestSide``; `nil` for one that is missing or 0.
    func side(_ number: PlainNumber?) throws -> Int? {
        guard let side = number?.rounded, side > 0 else { return nil }
        guard side <= ImageParameter.largestSide else {
            throw refused("of sides up to \(ImageParameter.largestSide)")
        }
        return side
    }
}
