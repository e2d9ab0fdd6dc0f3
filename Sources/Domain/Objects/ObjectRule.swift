/// A change that a rule of a later area makes, such as that a user follows another one, as part of a command.
///
/// So a batch performs it in order with other changes, in their transaction.
package struct ObjectRule: Sendable {
    /// What the rule does with the change of its command, inside a transaction; a store can run it several times.
    let apply: @Sendable (ObjectWriteRules, ObjectChange) throws -> ObjectReply

    init(_ apply: @escaping @Sendable (ObjectWriteRules, ObjectChange) throws -> ObjectReply) {
        self.apply = apply
    }
}
