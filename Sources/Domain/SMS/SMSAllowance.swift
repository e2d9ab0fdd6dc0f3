/// How many SMS one app sends: to each number, because of each client, and together.
package struct SMSAllowance: Sendable {
    /// The allowances; a recipient is a number, for all purposes together.
    let messages: MessageAllowance

    /// - Parameters:
    ///   - limits: The numbers.
    ///   - clock: Returns the current time.
    package init(
        _ limits: SMSSettings.Limits,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        func limit<Key>(_ count: Int, _ seconds: Int, _ period: String, _ who: String, _ name: String) -> RateLimit<Key>
        {
            RateLimit(
                count,
                seconds: seconds,
                setting: "sms.\(name)",
                refusal: "Too many SMS: \(who) \(count), the limit for one \(period)",
                clock: clock
            )
        }
        messages = MessageAllowance(
            recipients: [
                limit(limits.perMinute, 60, "minute", "this number was sent", "maxPerMinute"),
                limit(limits.perDay, 86_400, "day", "this number was sent", "maxPerDay"),
            ],
            clients: limit(limits.perClient, 3600, "hour", "clients at this address caused", "maxPerClient"),
            app: limit(limits.perApp, 3600, "hour", "the app has sent", "maxPerApp"),
            refusal: .tooManySMS
        )
    }
}
