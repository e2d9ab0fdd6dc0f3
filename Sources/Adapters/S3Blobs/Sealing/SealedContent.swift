internal import S3

/// Seals a range of staged bytes while it is sent; used by one thread.
///
/// A request that is repeated seals the same bytes again, with the same result.
final class SealedContent {
    private let range: S3StagedRange
    private let cipher: FrameCipher
    private let first: Int64
    private let trailer: [UInt8]
    private let observe: (UnsafeRawBufferPointer) -> Void
    private let framesSize: Int64
    /// The frame that was sealed last.
    private var sealed: (index: Int64, bytes: [UInt8])?
    /// The number of frames whose plaintext was observed.
    private var observed: Int64 = 0
    private var plain: [UInt8] = []

    /// - Parameters:
    ///   - range: The plaintext.
    ///   - run: The number of its first frame, and the key.
    ///   - trailer: What follows behind the frames.
    ///   - observe: Receives the plaintext once, in order.
    init(
        _ range: S3StagedRange,
        _ run: (first: Int64, key: FrameKey),
        trailer: [UInt8],
        observing observe: @escaping (UnsafeRawBufferPointer) -> Void
    ) {
        self.range = range
        cipher = FrameCipher(run.key)
        first = run.first
        self.trailer = trailer
        self.observe = observe
        framesSize = Frame.sealed(range.size)
    }

    var size: Int64 { framesSize + Int64(trailer.count) }

    /// Fills a buffer from an offset of the sealed bytes on; returns their number.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(S3Error) -> Int {
        guard offset < framesSize else {
            let part = trailer.dropFirst(Int(offset - framesSize)).prefix(buffer.count)
            buffer.copyBytes(from: part)
            return part.count
        }
        let index = offset / Frame.sealedSize
        let part = try frame(index).dropFirst(Int(offset - index * Frame.sealedSize)).prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }

    private func frame(_ index: Int64) throws(S3Error) -> [UInt8] {
        if let sealed, sealed.index == index { return sealed.bytes }
        try readPlain(index)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(Frame.sealedSize))
        do {
            try plain.withUnsafeBytes { plain in
                if index == observed {
                    observe(plain)
                    observed += 1
                }
                try cipher.seal(plain, as: first + index, to: &bytes)
            }
        } catch {
            throw S3Error(.local, "bytes cannot be encrypted: \(error)")
        }
        sealed = (index, bytes)
        return bytes
    }

    private func readPlain(_ index: Int64) throws(S3Error) {
        let start = index * Frame.size
        let count = Int(min(Frame.size, range.size - start))
        plain = [UInt8](repeating: 0, count: count)
        var done = 0
        var thrown: S3Error?
        plain.withUnsafeMutableBytes { plain in
            do throws(S3Error) {
                while done < count {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: plain[done...])
                    let read = try range.read(into: rest, at: start + Int64(done))
                    guard read > 0 else { throw S3Error(.local, "the bytes to send end at \(start + Int64(done))") }
                    done += read
                }
            } catch {
                thrown = error
            }
        }
        if let thrown { throw thrown }
    }
}
