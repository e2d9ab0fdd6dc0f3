internal import Crypto
internal import Synchronization

/// The MD5 of staged bytes while one writer adds them in order, up to ``BlobFacts/md5Limit``: it takes longer than
/// writing them.
package final class RunningMD5: Sendable {
    private struct State {
        var md5 = Insecure.MD5()
        var position: Int64 = 0
        var isLost = false

        /// Whether bytes follow the previous ones; those that never can lose the digest.
        mutating func wants(_ count: Int, at offset: Int64) -> Bool {
            // A later offset does not lose the digest: the bytes before it can still come.
            if offset < position || offset + Int64(count) > BlobFacts.md5Limit { isLost = true }
            return !isLost && offset == position
        }
    }

    private let state = Mutex(State())

    /// Creates the digest of no bytes.
    package init() {}

    /// Whether bytes at an offset follow the previous ones and leave the file small enough.
    ///
    /// Bytes that were there before, and too many, lose the digest.
    package func wants(_ count: Int, at offset: Int64) -> Bool {
        state.withLock { $0.wants(count, at: offset) }
    }

    /// Adds bytes that are written at an offset, if they follow the previous ones.
    package func update(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        state.withLock { state in
            guard state.wants(bytes.count, at: offset) else { return }
            state.md5.update(bufferPointer: bytes)
            state.position += Int64(bytes.count)
        }
    }

    /// The MD5 of a number of bytes as hexadecimal digits; `nil` if they have to be read for it.
    package func known(of size: Int64) -> String? {
        state.withLock { state in
            !state.isLost && state.position == size ? Array(state.md5.finalize()).hexadecimal : nil
        }
    }
}
