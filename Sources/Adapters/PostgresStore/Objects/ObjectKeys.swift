internal import Domain

/// The values of an object in the form that PostgreSQL compares, in the column `keys` (docs/decisions/0004).
///
/// Each value that is neither an array nor an object becomes one string, its *key*. The first letter is its kind, and
/// the bytes of two keys of one kind have the order of the values, so that one expression on a field serves equality,
/// comparisons, order, unique and plain indexes.
enum ObjectKeys {
    /// The member of an object with a type, such as a date, for the key of its text.
    ///
    /// No name of a member is equal to it, because names are escaped.
    static let wholeName = "\u{1}"
    /// The member of a point for its coordinates as numbers.
    static let coordinatesName = "\u{2}"

    /// The column's value for the fields of an object.
    static func encoded(_ fields: [String: JSONValue]) -> [UInt8] {
        JSONValue.object(fields.reduce(into: [:]) { $0[escaped($1.key)] = member($1.value) }).encoded()
    }

    /// The key of a value that is compared as one; `nil` for null.
    static func key(_ value: JSONValue) -> String? {
        switch value {
        case .null: nil
        case .bool(let value): value ? "b1" : "b0"
        case .integer(let value): "n\(NumberKey.text(value))"
        case .number(let value): "n\(NumberKey.text(value))"
        case .string(let value): "s\(escaped(value))"
        case .array, .object: "j\(String(decoding: value.encoded(), as: UTF8.self))"
        }
    }

    /// A string without U+0000, which PostgreSQL does not store.
    ///
    /// U+0000 becomes two characters and U+0001, too, so that different strings stay different and the order of their
    /// bytes is kept.
    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 2 }) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard scalar.value < 2 else {
                scalars.append(scalar)
                continue
            }
            scalars.append("\u{1}")
            scalars.append(scalar.value == 0 ? "\u{1}" : "\u{2}")
        }
        return String(scalars)
    }

    private static func member(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements):
            return .array(elements.map { key($0).map(JSONValue.string) ?? .null })
        case .object(let members):
            var keys: [String: JSONValue] = members.reduce(into: [:]) { $0[escaped($1.key)] = member($1.value) }
            if members["__type"]?.stringValue != nil { keys[wholeName] = key(value).map(JSONValue.string) }
            if let point = GeoPoint(stored: value) {
                keys[coordinatesName] = .array([.number(point.latitude), .number(point.longitude)])
            }
            return .object(keys)
        default:
            return key(value).map(JSONValue.string) ?? .null
        }
    }
}

/// Numbers as text whose bytes have the order of the numbers, exactly for every whole number and every double.
enum NumberKey {
    /// The text of a whole number: the nearest double, and the difference from it.
    static func text(_ value: Int64) -> String {
        let nearest = Double(value)
        // At most 512, because doubles of this size are at most 1024 apart.
        let difference = Int128(value) - Int128(nearest)
        return digits(of: nearest) + hexadecimal(UInt64(bitPattern: Int64(difference + middle)), 4)
    }

    /// The text of a double.
    static func text(_ value: Double) -> String {
        digits(of: value) + hexadecimal(UInt64(middle), 4)
    }

    /// The whole number of a text, without its fraction; 0 for a text of another form.
    static func wholeNumber(_ text: some StringProtocol) -> Int64 {
        guard let bits = UInt64(text.prefix(16), radix: 16), let rest = Int128(text.dropFirst(16), radix: 16) else {
            return 0
        }
        let isNegative = bits >> 63 == 0
        let double = Double(bitPattern: isNegative ? ~bits : bits & ~(1 << 63))
        guard double.magnitude <= 0x1p63 else { return isNegative ? .min : .max }
        return Int64(clamping: Int128(double) + rest - middle)
    }

    private static let middle: Int128 = 0x8000

    private static func digits(of value: Double) -> String {
        // -0.0 equals 0.
        let bits = (value == 0 ? 0 : value).bitPattern
        return hexadecimal(bits >> 63 == 0 ? bits | 1 << 63 : ~bits, 16)
    }

    private static func hexadecimal(_ number: UInt64, _ count: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
