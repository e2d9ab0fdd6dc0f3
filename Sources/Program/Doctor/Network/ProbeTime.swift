internal import Glibc

/// The texts of times in heads and certificates.
enum ProbeTime {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The seconds since 1970 of `Fri, 02 Jan 2026 03:04:05 GMT`; `nil` for other texts.
    static func seconds(ofHTTP text: String) -> Int64? {
        let words = text.split(separator: " ")
        guard words.count == 6, let month = months.firstIndex(of: String(words[2])) else { return nil }
        return seconds(year: words[3], month: month + 1, day: words[1], time: words[4])
    }

    /// The seconds since 1970 of `Jan  2 03:04:05 2026 GMT` or `2026-01-02 03:04:05 GMT`; `nil` for other texts.
    static func seconds(ofCertificate text: String) -> Int64? {
        let words = text.split(separator: " ")
        guard words.count >= 2 else { return nil }
        if words.count >= 4, let month = months.firstIndex(of: String(words[0])) {
            return seconds(year: words[3], month: month + 1, day: words[1], time: words[2])
        }
        let date = words[0].split(separator: "-")
        guard date.count == 3, let month = Int(date[1]) else { return nil }
        return seconds(year: date[0], month: month, day: date[2], time: words[1])
    }

    private static func seconds(year: Substring, month: Int, day: Substring, time: Substring) -> Int64? {
        let clock = time.split(separator: ":").compactMap { CInt($0) }
        guard let year = CInt(year), let day = CInt(day), clock.count == 3, (1970...9999).contains(year),
            (1...12).contains(month)
        else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, CInt(month - 1), day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (clock[0], clock[1], clock[2])
        return Int64(timegm(&parts))
    }
}
