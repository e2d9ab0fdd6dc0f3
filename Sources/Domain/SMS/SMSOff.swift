/// Sends no SMS: for a server that has numbers with fixed codes only (`sms.provider: off`).
///
/// SMS that wait from a time with another provider go on waiting, and end as after an outage.
package struct SMSOff: SMSSender {
    /// Creates the sender.
    package init() {}

    package func send(_ message: SMSMessage) async throws {
        throw DeliveryFailure(.unavailable, "This server sends no SMS now (sms.provider).")
    }
}
