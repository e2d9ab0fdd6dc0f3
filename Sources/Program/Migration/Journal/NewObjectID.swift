internal import FoundationEssentials

/// objectIds that a migration gives to items of sources without ids.
enum NewObjectID {
    /// A new id in LeanCloud's form: 24 hexadecimal digits, of which the first 8 are the time in seconds.
    static func next() -> String {
        let time = hexadecimal(UInt64(Date().timeIntervalSince1970) & 0xFFFF_FFFF, digits: 8)
        return time + hexadecimal(.random(in: .min ... .max), digits: 16)
    }

    private static func hexadecimal(_ value: UInt64, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: digits - text.count) + text
    }
}
