internal import Crypto
package import Domain
internal import NIOCore
internal import Synchronization

/// Blobs in memory, for tests of what stands on a ``BlobStore``.
package final class MemoryBlobStore: BlobStore {
    private let blobs = Mutex<[FileKey: ByteBuffer]>([:])
    private let stagedCount = Mutex(0)

    package init() {}

    /// How many blobs are committed.
    package var count: Int { blobs.withLock { $0.count } }

    /// How many blobs are staged, neither committed nor discarded.
    package var staged: Int { stagedCount.withLock { $0 } }

    package func stage() async throws -> any StagedBlob {
        stagedCount.withLock { $0 += 1 }
        return MemoryStagedBlob(store: self)
    }

    package func open(_ key: FileKey) async throws -> (any OpenBlob)? {
        blobs.withLock { $0[key] }.map(MemoryOpenBlob.init)
    }

    package func remove(_ key: FileKey) async throws {
        blobs.withLock { $0[key] = nil }
    }

    fileprivate func commit(_ bytes: ByteBuffer, as key: FileKey) throws {
        try blobs.withLock { blobs in
            guard blobs[key] == nil else { throw ServiceError(.internalFailure, "The key is taken.") }
            blobs[key] = bytes
        }
    }

    fileprivate func unstage() {
        stagedCount.withLock { $0 -= 1 }
    }
}

private final class MemoryStagedBlob: StagedBlob {
    private let store: MemoryBlobStore
    private let state = Mutex<(bytes: ByteBuffer, isStaged: Bool)>((ByteBuffer(), true))

    init(store: MemoryBlobStore) {
        self.store = store
    }

    func append(_ bytes: ByteBuffer) async throws {
        state.withLock { _ = $0.bytes.writeImmutableBuffer(bytes) }
    }

    func finish() async throws -> StagedFacts {
        let bytes = state.withLock { $0.bytes }
        let view = Array(bytes.readableBytesView)
        return StagedFacts(
            blob: BlobFacts(
                size: Int64(bytes.readableBytes),
                md5: Insecure.MD5.hash(data: view).hexadecimal,
                sha256: SHA256.hash(data: view).hexadecimal
            ),
            head: ByteBuffer(bytes: view.prefix(64 << 10))
        )
    }

    func commit(as key: FileKey) async throws {
        try store.commit(state.withLock { $0.bytes }, as: key)
        leaveStaging()
    }

    func discard() async {
        leaveStaging()
    }

    private func leaveStaging() {
        let left = state.withLock { state in
            defer { state.isStaged = false }
            return state.isStaged
        }
        if left { store.unstage() }
    }
}

private struct MemoryOpenBlob: OpenBlob {
    let bytes: ByteBuffer
    var size: Int64 { Int64(bytes.readableBytes) }
    var descriptor: CInt? { nil }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        let start = min(Int(offset), bytes.readableBytes)
        return bytes.getSlice(at: start, length: min(count, bytes.readableBytes - start)) ?? ByteBuffer()
    }
}
