internal import NIOCore

/// A copy of staged bytes that has passed the checks of a file's size, digests and type.
struct CheckedCopy: Sendable {
    /// The bytes.
    let blob: any StagedBlob
    /// Their size and digests.
    let facts: BlobFacts
    /// The record of the file.
    let record: FileRecord
}

extension UploadHandle {
    /// Copies pieces of staged bytes one after the other, and checks whether the upload can have them as its file.
    ///
    /// - Throws: Errors of the rules; the copy is removed then.
    func copy(_ sources: [(source: any StagedBlob, pieces: [PartLayout.Piece])]) async throws -> CheckedCopy {
        let size = sources.reduce(0) { $0 + $1.pieces.size }
        let joined = try await service.storage.staging.stage()
        do {
            try await joined.requireFreeSpace(for: size)
            try await UploadHandle.copy(sources, to: joined)
            let facts = try await joined.finish(size: size, needsMD5: stored.description.announcesMD5)
            return CheckedCopy(blob: joined, facts: facts.blob, record: try await record(of: facts))
        } catch {
            await joined.discard()
            throw error
        }
    }

    /// Creates the file of a copy and ends the upload.
    ///
    /// - Parameters:
    ///   - copy: The copy.
    ///   - spent: Uploads that end with this one.
    /// - Returns: The file's record.
    /// - Throws: Errors of the rules; the copy is removed then.
    func complete(_ copy: CheckedCopy, spending spent: [ObjectID] = []) async throws -> FileRecord {
        do {
            return try await complete(copy.blob, copy.facts, copy.record, spending: spent)
        } catch {
            await copy.blob.discard()
            throw error
        }
    }

    /// Copies pieces of staged bytes to consecutive offsets.
    ///
    /// One source is open at a time: a file can have many, and the limit of open files has no share for them.
    private static func copy(
        _ sources: [(source: any StagedBlob, pieces: [PartLayout.Piece])],
        to target: any StagedBlob
    ) async throws {
        let writer = target.write(at: 0, digesting: [])
        // Empty sources can have no bytes to open.
        for (source, pieces) in sources where pieces.size > 0 {
            let opened = try await source.open()
            for piece in pieces { try await copy(piece, of: opened, to: writer) }
        }
        _ = try await writer.finish()
    }

    private static func copy(
        _ piece: PartLayout.Piece,
        of source: any OpenBlob,
        to writer: any BlobWriter
    ) async throws {
        var position = piece.offset
        let end = piece.offset + piece.size
        while position < end {
            let bytes = try await source.read(at: position, count: Int(min(1 << 20, end - position)))
            guard bytes.readableBytes > 0 else {
                throw ServiceError(.internalFailure, "Internal error.", cause: StagedBytesMissing())
            }
            position += Int64(bytes.readableBytes)
            try await writer.append(bytes)
        }
    }
}

/// The error for a recorded part whose bytes are not in the staged file.
private struct StagedBytesMissing: Error {}
