internal import Domain
internal import NIOCore

/// The parts of which the store makes a blob, with the trailer of an encrypted one behind them.
struct CopyPlan: Sendable {
    /// The parts; the last one of an encrypted blob passes through this server and can be empty.
    let parts: [CopyPart]
    /// The size of the object.
    let size: Int64
    private let runs: [SealedRun]
    private let trailer: [UInt8]

    /// - Parameters:
    ///   - parts: Consecutive parts.
    ///   - new: The blob.
    /// - Throws: An error of the encryption.
    init(_ parts: [CopyPart], for new: S3NewBlob) throws {
        guard let encryption = new.encryption else {
            (self.parts, size, runs, trailer) = (parts, new.facts.size, [], [])
            return
        }
        // A key of its own for what passes through the server; no frame number of it repeats.
        let key = FrameKey()
        var next: Int64 = 0
        let runs = parts.map { part in
            if let piece = part.piece, let seal = piece.segment.seal {
                let first = piece.objectRange.lowerBound / Frame.size
                return SealedRun(size: Int64(part.range.count), first: first, key: seal.key)
            }
            let run = SealedRun(size: Int64(part.range.count), first: next, key: key)
            next += Frame.count(run.size)
            return run
        }
        let trailer = try new.trailer(runs, encryption)
        let end = new.facts.size..<new.facts.size
        let isLastCopied = parts.last?.isCopied ?? true
        self.parts = parts + (isLastCopied ? [CopyPart(range: end, piece: nil)] : [])
        self.runs = runs
        self.trailer = trailer
        size = SealedRuns(runs).sealedSize + Int64(trailer.count)
    }

    /// The bytes of a part that passes through this server.
    ///
    /// - Parameters:
    ///   - index: The index of the part.
    ///   - bytes: Its plaintext.
    /// - Returns: The bytes that are sent.
    /// - Throws: An error of the encryption.
    func content(_ index: Int, _ bytes: ByteBuffer) throws -> [UInt8] {
        guard !trailer.isEmpty else { return Array(bytes.readableBytesView) }
        let end = index == parts.count - 1 ? trailer : []
        guard index < runs.count else { return end }
        let run = runs[index]
        return try bytes.withUnsafeReadableBytes { try FrameCipher(run.key).seal(all: $0, from: run.first) } + end
    }
}
