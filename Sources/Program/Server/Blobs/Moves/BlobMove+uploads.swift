internal import Domain
internal import NIOCore
internal import Storage

extension BlobMove {
    private static let pieceSize: Int64 = 1 << 20

    /// Below that of every request, so that bytes which no row records never cover those that a client sends later.
    private static let order = 0

    /// Copies the bytes of an unfinished upload to the same offsets, and no gaps between them.
    ///
    /// - Returns: `false` if there are none.
    /// - Throws: ``Damage`` if bytes are missing that a row records; errors of the storages.
    func move(_ upload: ObjectID) async throws -> Bool {
        guard let source = source.staging, let target = target.staging else { return false }
        let staged = try await source.stage(as: upload)
        let recorded = try await recorded(upload)
        let held = try await staged.ranges(recorded: recorded)
        if let missing = recorded.subtracting(held).ranges.first {
            throw Damage(description: "lacks its bytes from \(missing.lowerBound) to \(missing.upperBound)")
        }
        guard !held.isEmpty else { return false }
        // What an earlier move has left.
        try await target.stage(as: upload).discard()
        let copy = try await target.stage(as: upload)
        for range in held.ranges { try await copyBytes(in: range, of: upload, from: staged, to: copy) }
        try await copy.synchronize()
        return true
    }

    private func copyBytes(
        in range: Range<Int64>,
        of upload: ObjectID,
        from staged: any StagedBlob,
        to copy: any StagedBlob
    ) async throws {
        let writer = copy.write(at: range.lowerBound, order: BlobMove.order, digesting: [])
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = Int(min(BlobMove.pieceSize, range.upperBound - offset))
            let piece = try await staged.read(at: offset, count: count)
            guard piece.readableBytes == count else {
                throw ExitError.storage("the staged bytes of upload \(upload) cannot be read from \(offset) on")
            }
            try await writer.append(piece)
            offset += Int64(count)
        }
        _ = try await writer.finish()
    }
}
