/// Hands mails to a mail server, which takes the responsibility for them.
package protocol MailSender: Sendable {
    /// Sends a message to its recipient; returns when the mail server has accepted it.
    ///
    /// Ends within about a second if the task is cancelled; whether the mail was accepted is then unknown. Throws
    /// ``MailFailure``, and `CancellationError`.
    func send(_ message: MailMessage) async throws
}

/// The reason why a mail was not accepted.
package struct MailFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// What to do after the failure.
    package enum Kind: String, Sendable, CaseIterable {
        /// The mail server refused the recipient or the message for good; sending it again is useless.
        case refused
        /// The mail server did not accept this mail now.
        case deferred
        /// The mail server cannot be reached or refuses the server's log-in, so that no mail can be sent.
        case unavailable
    }

    /// What to do after the failure.
    package let kind: Kind
    /// A message for the operator, without addresses, tokens and passwords.
    package let description: String

    /// Creates a failure.
    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
