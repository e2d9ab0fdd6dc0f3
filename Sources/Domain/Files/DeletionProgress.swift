/// The result of a batch of the deletion queue.
package struct DeletionProgress: Sendable, Hashable {
    /// Rows that were removed after their bytes.
    package var removed = 0
    /// Rows that stay because their bytes could not be removed.
    package var failed = 0
    /// Rows in the queue now.
    package var waiting = 0
}
