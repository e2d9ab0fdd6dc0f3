/// The blobs of an app, as the scrubber reads them: completely, and while clients use them.
///
/// Reading must not displace what clients need from the machine's memory.
package protocol BlobInspection: Sendable {
    /// Reads all bytes of a blob, and compares its size and digest with the record.
    ///
    /// - Parameters:
    ///   - file: The record.
    ///   - pause: Called after each piece with its bytes and the time that reading it took; the next piece is read when
    ///     it returns.
    /// - Returns: The blob's condition; a disk that cannot read it is damage.
    /// - Throws: Errors that say nothing about the blob, such as those of a process without free descriptors; the errors
    ///   of `pause`.
    func inspect(
        _ file: FileEntry,
        pause: @escaping @Sendable (Int, Duration) async throws -> Void
    ) async throws -> BlobCondition

    /// A string that differs after the blob was replaced or written to; `nil` if it is missing.
    ///
    /// It is found without reading the blob.
    func identity(of file: FileEntry) async throws -> String?
}
