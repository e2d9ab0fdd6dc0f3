internal import ArgumentParser
internal import FoundationEssentials

/// A moment as a user writes it: a date, a time in UTC, or an age.
enum TimeArgument {
    /// The moment as the API takes it.
    ///
    /// - Parameters:
    ///   - text: `2026-11-21` (0:00 UTC), `2026-11-21T08:00:00Z`, `2026-11-21T08:00:00.123Z`, `90d`, `12h`, `30m`, `45s`.
    ///   - now: The current time, from which ages count.
    /// - Returns: ISO 8601 with milliseconds; `nil` for other texts.
    static func moment(_ text: String, now: Date = .now) -> String? {
        if let age = Amount.seconds(text) { return iso(now.addingTimeInterval(-age)) }
        let whole: String? =
            switch text.utf8.count {
            case 10: "\(text)T00:00:00.000Z"
            case 20: "\(text.dropLast()).000Z"
            case 24: text
            default: nil
            }
        // The text itself, because a date is a double and would lose a millisecond now and then.
        guard let whole, whole.hasSuffix("Z"), let date = try? style.parse(whole) else { return nil }
        // The parser takes 30 February for 2 March.
        return iso(date).prefix(19) == whole.prefix(19) ? whole : nil
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// The moment of an option.
    ///
    /// - Throws: `ValidationError` that names the option.
    static func option(_ name: String) -> @Sendable (String) throws -> String {
        { text in
            guard let moment = moment(text) else {
                throw ValidationError(
                    "\(name) must be a date such as 2026-11-21, a time such as 2026-11-21T08:00:00Z, or an age such as 7d."
                )
            }
            return moment
        }
    }

    private static func iso(_ date: Date) -> String {
        date.formatted(style)
    }
}
