/// Formats amounts for people, always with three significant digits.
enum Amount {
    private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]

    /// A number of bytes: `0 B`, `1023 B`, `1.00 KiB`, `15.3 MiB`.
    static func bytes(_ count: Int64) -> String {
        var value = Double(count)
        var unit = 0
        // 1023.5 would be rounded to 1024.
        while value >= (unit == 0 ? 1024 : 999.5), unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return unit == 0 ? "\(count) B" : "\(threeDigits(value)) \(units[unit])"
    }

    /// A rate: `15.3 MiB/s`.
    static func rate(_ bytesPerSecond: Double) -> String {
        bytes(Int64(bytesPerSecond.isFinite ? min(max(0, bytesPerSecond), 1e18) : 0)) + "/s"
    }

    /// A time: `0:07`, `2:30`, `1:02:30`, `3d 4h`.
    static func time(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "-" }
        let total = Int(seconds.rounded())
        let (hours, minutes, rest) = (total / 3600, total / 60 % 60, total % 60)
        if hours >= 48 { return "\(hours / 24)d \(hours % 24)h" }
        return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(twoDigits(rest))" : "\(minutes):\(twoDigits(rest))"
    }

    /// A count with its noun: `1 file`, `3 files`.
    static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }

    /// A number of bytes as users write it: `1048576`, `64K`, `1.5MiB`, `2GB`; units are powers of 1024.
    ///
    /// - Returns: The number; `nil` if the text has another form.
    static func parse(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = text.dropFirst(digits.count).uppercased().trimming { $0 == " " }
        let powers = ["": 0, "B": 0, "K": 1, "KB": 1, "KIB": 1, "M": 2, "MB": 2, "MIB": 2, "G": 3, "GB": 3, "GIB": 3]
        guard let value = Double(digits), let power = powers[unit] else { return nil }
        let bytes = (0..<power).reduce(value) { value, _ in value * 1024 }
        return bytes < 1e15 ? Int(bytes) : nil
    }

    /// A time as users write it, in seconds: `90d`, `12h`, `30m`, `45s`.
    ///
    /// - Returns: The number of seconds, less than 1e10; `nil` if the text has another form.
    static func seconds(_ text: String) -> Double? {
        let units: [Character: Double] = ["d": 86400, "h": 3600, "m": 60, "s": 1]
        guard let last = text.last, let unit = units[last], let number = Double(text.dropLast()), number >= 0,
            number * unit < 1e10
        else { return nil }
        return number * unit
    }

    private static func threeDigits(_ value: Double) -> String {
        let places = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
        let scale = [1.0, 10, 100][places]
        let whole = Int((value * scale).rounded())
        guard places > 0 else { return "\(whole)" }
        let fraction = "\(whole % Int(scale))"
        return "\(whole / Int(scale)).\(String(repeating: "0", count: places - fraction.count))\(fraction)"
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
