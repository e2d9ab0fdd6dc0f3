/// The reason why a message was not accepted.
package struct DeliveryFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// What to do after the failure.
    package enum Kind: String, Sendable, CaseIterable {
        /// The recipient or the message was refused for good; sending it again is useless.
        case refused
        /// This message is not accepted now.
        case deferred
        /// The server or gateway cannot be reached or refuses this server, so that no message can be sent.
        case unavailable
    }

    /// What to do after the failure.
    package let kind: Kind
    /// A message for the operator, without addresses, numbers, tokens, codes and passwords.
    package let description: String

    /// Creates a failure.
    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

/// What became of an attempt to send a message.
package enum DeliveryOutcome: Sendable {
    case sent
    /// The attempt failed, and the message is sent again later.
    case failed
    /// The message became a dead letter.
    case dead
}
