/// Hands mails to a mail server, which takes the responsibility for them.
package protocol MailSender: Sendable {
    /// Sends a message to its recipient; returns when the mail server has accepted it.
    ///
    /// Ends within about a second if the task is cancelled; whether the mail was accepted is then unknown. Throws
    /// ``DeliveryFailure``, and `CancellationError`.
    func send(_ message: MailMessage) async throws
}
