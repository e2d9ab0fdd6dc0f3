/// What a delivery queue does with one kind of message; ``DeliveryQueue`` has what all kinds share.
package protocol DeliveryWork: Sendable {
    /// The rows of the queue.
    associatedtype Message: QueuedMessage
    /// The secret part of a message, which is not stored: it is made or derived anew for each attempt.
    associatedtype SecretPart: Sendable

    /// How the log names the messages.
    static var words: DeliveryWords { get }
    /// How messages are sent.
    var settings: DeliverySettings { get }

    /// Makes the secret part of a message, in the transaction that leases it.
    ///
    /// - Returns: `nil` if the message is no longer needed; its row is then deleted.
    func secretPart(of message: Message, in writer: any WriteTransaction, at now: Timestamp) throws -> SecretPart?

    /// Sends a message; returns when it was accepted.
    ///
    /// - Throws: ``DeliveryFailure``, and `CancellationError`.
    func send(_ message: Message, _ secret: SecretPart, at now: Timestamp) async throws

    /// The time after which a message that failed becomes a dead letter.
    func end(of message: Message) -> Timestamp

    /// Prepares a message that an operator sends again.
    func renew(_ message: inout Message, in writer: any WriteTransaction, at now: Timestamp) throws

    /// The rows of other classes that have ended.
    func expired(at now: Timestamp) -> [(name: ClassName, condition: Condition)]
}

extension DeliveryWork {
    /// After `giveUpAfter` of the settings.
    package func end(of message: Message) -> Timestamp {
        message.turn.since.adding(seconds: settings.giveUpAfter)
    }

    /// Does nothing.
    package func renew(_ message: inout Message, in writer: any WriteTransaction, at now: Timestamp) throws {}
}

/// How the log names the messages of a queue.
package struct DeliveryWords: Sendable {
    /// One message: `mail`, `SMS`.
    let one: String
    /// The same with its article at the beginning of a sentence: `A mail`.
    let oneAtStart: String
    /// Several messages at the beginning of a sentence: `Mails`.
    let manyAtStart: String
    /// The command that sends dead letters again.
    let command: String
}
