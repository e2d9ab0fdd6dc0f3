internal import Domain
internal import NIOCore

/// The bytes of a blob as staged bytes that another blob store takes; they can only be read.
struct MovedBytes: StagedBlob {
    let blob: any OpenBlob

    private struct OnlyRead: Error {}

    func requireFreeSpace(for size: Int64) throws { throw OnlyRead() }

    func extent() -> Int64 { blob.size }

    func ranges(recorded: RangeSet<Int64>) -> RangeSet<Int64> { RangeSet(0..<blob.size) }

    func write(at offset: Int64, order: Int?, digesting digests: Set<DigestKind>) -> any BlobWriter { NoWriter() }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        try await blob.read(at: offset, count: count)
    }

    func open() -> any OpenBlob { blob }

    func synchronize() {}

    func finish(size: Int64, needsMD5: Bool) throws -> StagedFacts { throw OnlyRead() }

    func noteCommit(as blob: BlobName, of file: ObjectID) throws { throw OnlyRead() }

    func cancelCommit() {}

    func keepNote() {}

    func discard() {}

    private struct NoWriter: BlobWriter {
        func append(_ bytes: ByteBuffer) throws { throw OnlyRead() }

        func finish() throws -> [DigestKind: [UInt8]] { throw OnlyRead() }

        func settle() {}
    }
}
