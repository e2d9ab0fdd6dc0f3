internal import Crypto
internal import Domain
internal import NIOCore
internal import Synchronization

/// The MD5 of a staged file while its bytes come in order and are not too many: it takes longer than writing them.
final class RunningMD5: Sendable {
    private struct State {
        var md5 = Insecure.MD5()
        var position: Int64 = 0
        var isLost = false
    }

    private let state = Mutex(State())

    /// Whether bytes at an offset follow the previous ones and leave the file small enough; otherwise the digest is
    /// discarded.
    func wants(_ count: Int, at offset: Int64) -> Bool {
        state.withLock { state in
            // A later offset does not discard the digest: the bytes before it can still come.
            if offset < state.position || offset + Int64(count) > BlobFacts.md5Limit { state.isLost = true }
            return !state.isLost && offset == state.position
        }
    }

    /// Adds bytes that are written at an offset.
    func update(_ buffers: [ByteBuffer], at offset: Int64) {
        state.withLock { state in
            guard offset == state.position, !state.isLost else { return }
            for buffer in buffers {
                buffer.withUnsafeReadableBytes { state.md5.update(bufferPointer: $0) }
                state.position += Int64(buffer.readableBytes)
            }
        }
    }

    /// The MD5 of a file of a size as hexadecimal digits; `nil` if the file has to be read for it.
    func known(of size: Int64) -> String? {
        state.withLock { state in
            !state.isLost && state.position == size ? state.md5.finalize().hexadecimal : nil
        }
    }

    /// Computes the MD5 of a file's bytes up to a size; blocks the thread.
    static func digest(of size: Int64, in file: borrowing Descriptor) throws -> String {
        var md5 = Insecure.MD5()
        var position: Int64 = 0
        while position < size {
            let bytes = try file.read(at: position, count: Int(min(1 << 20, size - position)))
            guard bytes.readableBytes > 0 else { throw failure(ofReading: position) }
            bytes.withUnsafeReadableBytes { md5.update(bufferPointer: $0) }
            position += Int64(bytes.readableBytes)
        }
        return md5.finalize().hexadecimal
    }
}
