/// Scans the numbers and signs of a geometry such as `300x400`, in `thumbnail` and `crop`.
struct GeometryScanner {
    private var rest: ArraySlice<UInt8>

    /// Creates a scanner; in a value that begins with `!`, the letters `p`, `r` and `a` mean `%`, `^` and `+`.
    init(_ value: Substring) {
        rest = Array(value.utf8)[...]
        guard take("!") else { return }
        rest = rest.map { GeometryScanner.escapes[$0] ?? $0 }[...]
    }

    /// Whether the whole value was read.
    var isAtEnd: Bool { rest.isEmpty }

    /// Reads the next number; returns `nil` and reads nothing if another character is next.
    mutating func number() -> PlainNumber? {
        let digits = rest.prefix { $0 == UInt8(ascii: ".") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard let number = PlainNumber(digits) else { return nil }
        rest = rest[digits.endIndex...]
        return number
    }

    /// Reads the next character, usually a sign.
    mutating func sign() -> Unicode.Scalar? {
        rest.popFirst().map { Unicode.Scalar($0) }
    }

    /// Reads this sign if it is next; returns whether it did.
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
    /// The maximum length of a side or an offset in pixels, in `thumbnail` and `crop`; results have separate limits.
    static let largestSide = 1_000_000

    /// A side within ``largestSide``; `nil` if it is missing or 0.
    func side(_ number: PlainNumber?) throws -> Int? {
        guard let side = number?.rounded, side > 0 else { return nil }
        guard side <= ImageParameter.largestSide else {
            throw refused("of sides up to \(ImageParameter.largestSide)")
        }
        return side
    }
}
