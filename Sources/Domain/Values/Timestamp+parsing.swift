extension Timestamp {
    /// Parses ISO 8601: a date, `T`, a time with an optional fraction of a second, and `Z` or an offset.
    ///
    /// Truncates to milliseconds, the resolution of the wire format. Years 0000 to 9999.
    package init?(iso8601 text: String) {
        var scanner = DigitScanner(text.utf8)
        guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2), scanner.take("-"),
            let day = scanner.number(2), scanner.take("T") || scanner.take(" "),
            let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2), scanner.take(":"),
            let second = scanner.number(2),
            (1...12).contains(month), (1...Timestamp.days(in: month, of: year)).contains(day),
            hour < 24, minute < 60, second < 60
        else { return nil }
        var fraction = 0
        if scanner.take(".") {
            guard let digits = scanner.fraction() else { return nil }
            fraction = digits
        }
        guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
        let days = Timestamp.daysSince1970(year, month, day)
        let seconds = Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
        let milliseconds = seconds * 1000 + Int64(fraction)
        guard Timestamp.range.contains(milliseconds) else { return nil }
        self.init(milliseconds: milliseconds)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Counts days in the proleptic Gregorian calendar, in years that begin in March.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year + 400 : year + 399
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let eras = year / 400
        let yearOfEra = year % 400
        return eras * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468 - 146_097
    }
}

private struct DigitScanner {
    private var rest: Substring.UTF8View

    init(_ text: String.UTF8View) {
        rest = text[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: mark) else { return false }
        rest = rest.dropFirst()
        return true
    }

    mutating func number(_ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Parses one to nine digits as a fraction of a second, in milliseconds.
    mutating func fraction() -> Int? {
        let digits = Array(rest.prefix { (0x30...0x39).contains($0) })
        guard (1...9).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        return (0..<3).reduce(0) { $0 * 10 + ($1 < digits.count ? Int(digits[$1] - 0x30) : 0) }
    }

    /// Parses `Z` or `+hh:mm`, in seconds.
    mutating func offset() -> Int? {
        if take("Z") { return 0 }
        let sign = rest.first == UInt8(ascii: "-") ? -1 : 1
        guard take("+") || take("-"), let hours = number(2), hours < 24 else { return nil }
        _ = take(":")
        guard let minutes = number(2), minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
