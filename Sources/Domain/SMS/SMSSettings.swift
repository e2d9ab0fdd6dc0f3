/// The `sms.*` settings of codes and of the queue.
package struct SMSSettings: Sendable {
    /// How often SMS are caused.
    package var limits = Limits()
    /// Seconds for which a code is valid, unless the request says so.
    package var codeLifetime = 600
    /// The number of wrong tries with which a code becomes void.
    package var maxTries = 5
    /// The signature at the beginning of texts, without brackets; empty for none.
    package var sign = ""
    /// SMS of one app that are sent at the same time.
    package var workers = 2
    /// Seconds before an SMS is sent again after its first failure; they double each time, up to an hour.
    package var retryPause = 2
    /// Seconds after which an SMS that cannot be delivered becomes a dead letter; its code can end before.
    package var giveUpAfter = 3600
    /// Seconds for which dead letters are stored.
    package var deadLetterLifetime = 2_592_000

    /// Creates the default settings.
    package init() {}

    /// The number of SMS; 0 means no limit.
    package struct Limits: Sendable {
        /// SMS to one number in a minute.
        package var perMinute = 1
        /// SMS to one number in a day.
        package var perDay = 10
        /// SMS that clients at one client address cause in an hour.
        package var perClient = 30
        /// SMS of one app in an hour.
        package var perApp = 2000

        /// Creates the default limits.
        package init() {}
    }

    /// The longest life of a code in minutes that a request can ask for (protocol/data 6.4).
    static let maxMinutes = 30

    /// How the queue sends SMS.
    package var delivery: DeliverySettings {
        DeliverySettings(
            workers: workers,
            retryPause: retryPause,
            giveUpAfter: giveUpAfter,
            deadLetterLifetime: deadLetterLifetime
        )
    }
}
