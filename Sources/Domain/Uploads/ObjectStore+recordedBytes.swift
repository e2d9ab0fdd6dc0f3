extension ObjectStore {
    /// Where the staged bytes of an upload are that its rows record: its client does not send them again.
    ///
    /// - Parameter upload: The upload.
    /// - Returns: The ranges; none without such an upload.
    /// - Throws: Errors of the store.
    package func recordedBytes(of upload: ObjectID) async throws -> RangeSet<Int64> {
        try await read { reader in
            let parts = try reader.find(.parts(of: upload)).compactMap { StoredPart(stored: $0)?.part }
            return RangeSet(parts.map { $0.offset..<max($0.offset, $0.end) })
        }
    }
}
