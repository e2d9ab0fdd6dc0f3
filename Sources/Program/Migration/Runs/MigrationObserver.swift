/// Learns how a migration proceeds; its methods are called from any thread and must not block.
package protocol MigrationObserver: Sendable {
    /// Items begin that are known under this kind: `file`, or the name of a class.
    func began(_ kind: String)
    /// An item is done since an earlier run, or will not be sent for another reason.
    func passed(_ name: String, of kind: String, bytes: Int64, _ reason: PassedReason)
    /// A batch of items is being sent.
    func began(_ batch: Int, _ name: String)
    /// A number of bytes of a batch has been sent; it decreases if bytes are sent again.
    func sent(_ bytes: Int64, of batch: Int)
    /// An item of a batch has ended.
    func ended(_ name: String, of kind: String, bytes: Int64, _ end: ItemEnd)
    /// A batch has ended, after its items.
    func ended(_ batch: Int)
}

/// Why an item of the source is not sent.
package enum PassedReason: Sendable, Hashable {
    /// It is on the server since an earlier run.
    case done
    /// It failed in an earlier run.
    case failedBefore
    /// It has changed since it was migrated.
    case changed
    /// The source has it twice, with the same content.
    case repeated
    /// It cannot be sent, or not be compared, with the reason.
    case unusable(String)
}
