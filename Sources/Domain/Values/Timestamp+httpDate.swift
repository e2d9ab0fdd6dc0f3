internal import Glibc

extension Timestamp {
    /// Parses an HTTP date in any of its three forms (RFC 9110 section 5.6.7).
    ///
    /// `Sun, 06 Nov 1994 08:49:37 GMT`, and the obsolete `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 850) and
    /// `Sun Nov  6 08:49:37 1994` (asctime). The day of the week is not checked.
    ///
    /// - Returns: `nil` if the string has none of these forms or is not a valid date.
    package init?(httpDate text: String) {
        self.init(httpDate: text, now: .now())
    }

    /// Parses an HTTP date relative to another current time: a two-digit year is at most 50 years in the future.
    init?(httpDate text: String, now: Timestamp) {
        // The longest form has 33 characters.
        guard text.utf8.count <= 40, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let fields = text.split(separator: " ").map(String.init)
        switch fields.count {
        case 6 where Weekday.short.contains(fields[0].dropLast(1)) && fields[0].last == "," && fields[5] == "GMT":
            let year = Self.number(fields[3], digits: 4)
            self.init(day: fields[1], dayDigits: 2, month: fields[2], year: year, clock: fields[4])
        case 4 where Weekday.long.contains(fields[0].dropLast(1)) && fields[0].last == "," && fields[3] == "GMT":
            let parts = fields[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3, let short = Self.number(parts[2], digits: 2) else { return nil }
            self.init(
                day: parts[0],
                dayDigits: 2,
                month: parts[1],
                year: Self.fullYear(short, now: now),
                clock: fields[2]
            )
        case 5 where Weekday.short.contains(fields[0][...]):
            let digits = fields[2].utf8.count
            guard digits == 1 || digits == 2 else { return nil }
            let year = Self.number(fields[4], digits: 4)
            self.init(day: fields[2], dayDigits: digits, month: fields[1], year: year, clock: fields[3])
        default:
            return nil
        }
    }

    private init?(day: String, dayDigits: Int, month: String, year: Int?, clock: String) {
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false).map {
            Self.number(String($0), digits: 2)
        }
        guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
            let day = Self.number(day, digits: dayDigits), let year, let month = months.firstIndex(of: month),
            year >= 1900, (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var fields = tm()
        fields.tm_year = Int32(year - 1900)
        fields.tm_mon = Int32(month)
        fields.tm_mday = Int32(day)
        fields.tm_hour = Int32(hour)
        fields.tm_min = Int32(minute)
        fields.tm_sec = Int32(second)
        let seconds = timegm(&fields)
        // timegm normalizes invalid days, for example February 30 to March 1.
        guard Int(fields.tm_mday) == day || second == 60 else { return nil }
        self.init(milliseconds: Int64(seconds) * 1000)
    }

    private static func number(_ text: String, digits: Int) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return nil
        }
        return Int(text)
    }

    /// The year of two digits: at most 50 years in the future (RFC 9110 section 5.6.7).
    private static func fullYear(_ short: Int, now: Timestamp) -> Int {
        var seconds = time_t(now.wholeSeconds)
        var fields = tm()
        gmtime_r(&seconds, &fields)
        let current = Int(fields.tm_year) + 1900
        let year = current - current % 100 + short
        return year > current + 50 ? year - 100 : year
    }
}

private let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

private enum Weekday {
    static let short: [Substring] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    static let long: [Substring] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
}
