/// How long files stay in the trash after their deletion (docs/trash.md).
package struct TrashSettings: Sendable, Hashable {
    /// Seconds that a file stays which a caller deleted; 0 deletes files for good.
    package var keep: Int
    /// Seconds that a file stays which a collection removed, because no object refers to it.
    package var keepCollected: Int

    /// Creates settings; the defaults are those of the configuration.
    package init(keep: Int = 0, keepCollected: Int = 30 * 86_400) {
        self.keep = keep
        self.keepCollected = keepCollected
    }
}
