import Glibc

/// A time in whole milliseconds since 1970-01-01 UTC, the resolution of every time in LeanCloud's protocol.
///
/// It is in the years 0000 to 9999, because the wire format has no others.
package struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01 UTC; negative for earlier times.
    package let milliseconds: Int64

    /// All times that there are, in milliseconds since 1970-01-01 UTC.
    package static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// Creates a timestamp; a time outside of ``range``, which only a damaged database has, becomes its nearer end.
    package init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, Timestamp.range.lowerBound), Timestamp.range.upperBound)
    }

    /// The current time of the system's clock, truncated to milliseconds.
    package static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The timestamp plus a number of seconds, which can be negative.
    package func adding(seconds: Int) -> Timestamp {
        adding(milliseconds: Int64(seconds) * 1000)
    }

    /// The timestamp plus a number of milliseconds, which can be negative.
    package func adding(milliseconds count: Int64) -> Timestamp {
        Timestamp(milliseconds: milliseconds + count)
    }

    /// Earlier is less.
    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The wire format: `2024-05-02T08:00:00.123Z`, always three digits of milliseconds and a `Z`.
    ///
    /// Java, Objective-C and Swift parse exactly this pattern (protocol/data 1.7). It is formatted from integers,
    /// because `Date` is a double and rounding it loses milliseconds.
    package var iso8601: String {
        let time = calendarTime
        let millisecond = Int(milliseconds - wholeSeconds * 1000)
        return String(unsafeUninitializedCapacity: 24) { text in
            var position = 0
            func write(_ number: Int, _ width: Int, _ mark: Unicode.Scalar) {
                var rest = number
                for offset in (0..<width).reversed() {
                    text[position + offset] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                }
                text[position + width] = UInt8(ascii: mark)
                position += width + 1
            }
            write(time.year, 4, "-")
            write(time.month, 2, "-")
            write(time.day, 2, "T")
            write(time.hour, 2, ":")
            write(time.minute, 2, ":")
            write(time.second, 2, ".")
            write(millisecond, 3, "Z")
            return position
        }
    }

    /// The format of `Last-Modified`: `Thu, 02 May 2024 08:00:00 GMT` (RFC 9110 section 5.6.7), in whole seconds.
    package var httpDate: String {
        let time = calendarTime
        let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][time.weekday]
        let month = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ][time.month - 1]
        let clock = "\(padded(time.hour, 2)):\(padded(time.minute, 2)):\(padded(time.second, 2))"
        return "\(weekday), \(padded(time.day, 2)) \(month) \(padded(time.year, 4)) \(clock) GMT"
    }

    /// The milliseconds in 15 digits, for strings that sort by time; a time before 1970 counts as 1970.
    var sortable: String { padded(Int(max(0, milliseconds)), 15) }

    /// Seconds since 1970, rounded down also for negative values.
    package var wholeSeconds: Int64 {
        (milliseconds - (milliseconds % 1000 + 1000) % 1000) / 1000
    }

    private var calendarTime: CalendarTime {
        var seconds = time_t(wholeSeconds)
        var fields = tm()
        gmtime_r(&seconds, &fields)
        return CalendarTime(
            year: Int(fields.tm_year) + 1900,
            month: Int(fields.tm_mon) + 1,
            day: Int(fields.tm_mday),
            hour: Int(fields.tm_hour),
            minute: Int(fields.tm_min),
            second: Int(fields.tm_sec),
            weekday: Int(fields.tm_wday)
        )
    }

    private func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

private struct CalendarTime {
    let year: Int
    let month: Int
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int
    let weekday: Int
}
