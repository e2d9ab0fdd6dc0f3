/// How messages of a queue are sent: the settings that mails and SMS share.
package struct DeliverySettings: Sendable {
    /// Messages of one app that are sent at the same time.
    package var workers: Int
    /// Seconds before a message is sent again after its first failure; they double each time, up to an hour.
    package var retryPause: Int
    /// Seconds after which a message that cannot be delivered becomes a dead letter.
    package var giveUpAfter: Int
    /// Seconds for which dead letters are stored.
    package var deadLetterLifetime: Int

    /// Creates settings.
    package init(workers: Int, retryPause: Int, giveUpAfter: Int, deadLetterLifetime: Int) {
        self.workers = workers
        self.retryPause = retryPause
        self.giveUpAfter = giveUpAfter
        self.deadLetterLifetime = deadLetterLifetime
    }

    /// Milliseconds after which a message is sent again that failed a number of times; at most an hour.
    package func pause(afterFailures count: Int) -> Int64 {
        min(3_600_000, Int64(retryPause) * 1000 << max(0, min(count - 1, 20)))
    }
}
