internal import Crypto
package import Domain
internal import NIOCore
internal import Synchronization

/// Blobs in memory, for tests of what stands on a ``BlobStore``.
package final class MemoryBlobStore: BlobStore {
    package let bootID: String
    private let state = Mutex(State())

    fileprivate struct State {
        var blobs: [FileKey: ByteBuffer] = [:]
        /// By name; what is staged for one request has a number.
        var staged: [String: ByteBuffer] = [:]
        var committing: [ObjectID: (name: String, key: FileKey)] = [:]
        var drafts = 0
        var commitFailure: ServiceError?
        var removalFailures: [FileKey: Int] = [:]
        var removalSizes: [Int] = []
    }

    /// Begins empty; the boot can be said, to try what another one finds.
    package init(bootID: String = "boot") {
        self.bootID = bootID
    }

    /// How many blobs are committed.
    package var count: Int { with { $0.blobs.count } }

    /// How many blobs are staged, neither committed nor discarded.
    package var staged: Int { with { $0.staged.count } }

    /// Lets every commit fail from now on; nil lets them work again.
    package func failCommits(_ failure: ServiceError?) {
        with { $0.commitFailure = failure }
    }

    /// Lets so many removals of a blob fail from now on.
    package func failRemovals(of key: FileKey, times: Int = .max) {
        with { $0.removalFailures[key] = times }
    }

    /// How many blobs each removal was asked for.
    package var removalSizes: [Int] { with(\.removalSizes) }

    package func stage() async throws -> any StagedBlob {
        let name = with { state in
            state.drafts += 1
            state.staged["draft-\(state.drafts)"] = ByteBuffer()
            return "draft-\(state.drafts)"
        }
        return MemoryStagedBlob(store: self, name: name)
    }

    package func stage(as name: ObjectID) async throws -> any StagedBlob {
        with { $0.staged[name.description] = $0.staged[name.description] ?? ByteBuffer() }
        return MemoryStagedBlob(store: self, name: name.description)
    }

    package func leftovers() async throws -> [StagingLeftover] {
        with { state in
            let committing = Set(state.committing.values.map(\.name))
            return state.committing.keys.map(StagingLeftover.committing)
                + state.staged.keys.filter { !committing.contains($0) }.compactMap { ObjectID($0) }
                .map(StagingLeftover.staged)
        }
    }

    package func settle(_ file: ObjectID, isCommitted: Bool, keepingBytes isKept: Bool) async throws {
        with { state in
            guard let (name, key) = state.committing.removeValue(forKey: file) else { return }
            let bytes = state.staged.removeValue(forKey: name)
            if !isCommitted { state.blobs[key] = nil }
            if isKept, !name.hasPrefix("draft-") { state.staged[file.description] = bytes }
        }
    }

    package func open(_ key: FileKey) async throws -> (any OpenBlob)? {
        with { $0.blobs[key] }.map(MemoryOpenBlob.init)
    }

    package func remove(_ keys: [FileKey]) async throws -> [(any Error)?] {
        try Task.checkCancellation()
        return with { state in
            state.removalSizes.append(keys.count)
            return keys.map { key in
                if let times = state.removalFailures[key], times > 0 {
                    state.removalFailures[key] = times - 1
                    return StorageFault.failing.error(cause: Broken())
                }
                state.blobs[key] = nil
                return nil
            }
        }
    }

    fileprivate func with<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { state in try body(&state) }
    }
}

private struct MemoryStagedBlob: StagedBlob {
    let store: MemoryBlobStore
    let name: String

    var bytes: ByteBuffer { store.with { $0.staged[name] ?? ByteBuffer() } }

    func requireFreeSpace(for size: Int64) async throws {}

    func extent() async throws -> Int64 { Int64(bytes.readableBytes) }

    func write(at offset: Int64, digesting digests: Set<DigestKind>) -> any BlobWriter {
        MemoryBlobWriter(blob: self, offset: Int(offset), digests: digests)
    }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        try await MemoryOpenBlob(bytes: bytes).read(at: offset, count: count)
    }

    func synchronize() async throws {}

    func finish(size: Int64, needsMD5: Bool) async throws -> StagedFacts {
        guard bytes.readableBytes >= Int(size) else { throw ServiceError(.internalFailure, "Bytes are missing.") }
        let bytes = ByteBuffer(bytes: bytes.readableBytesView.prefix(Int(size)))
        store.with { $0.staged[name] = bytes }
        let view = Array(bytes.readableBytesView)
        var hasher = ContentHasher()
        view.withUnsafeBytes { hasher.update($0) }
        return StagedFacts(
            blob: BlobFacts(
                size: size,
                digest: .contentHash(hasher.finalize()),
                md5: needsMD5 || size <= BlobFacts.md5Limit ? Insecure.MD5.hash(data: view).hexadecimal : nil
            ),
            head: ByteBuffer(bytes: view.prefix(StagedFacts.headSize))
        )
    }

    func commit(as key: FileKey, of file: ObjectID) async throws {
        try store.with { state in
            if let failure = state.commitFailure { throw failure }
            guard state.blobs[key] == nil else { throw ServiceError(.internalFailure, "The key is taken.") }
            state.blobs[key] = state.staged[name]
            state.committing[file] = (name, key)
        }
    }

    func revert(_ key: FileKey) async {
        store.with { state in
            state.blobs[key] = nil
            forget(&state)
        }
    }

    func discard() async {
        store.with { state in
            state.staged[name] = nil
            forget(&state)
        }
    }

    func write(_ buffer: ByteBuffer, at offset: Int) {
        store.with { state in
            var bytes = state.staged[name] ?? ByteBuffer()
            if bytes.readableBytes < offset { bytes.writeRepeatingByte(0, count: offset - bytes.readableBytes) }
            bytes.setBuffer(buffer, at: offset)
            bytes.moveWriterIndex(to: max(bytes.writerIndex, offset + buffer.readableBytes))
            state.staged[name] = bytes
        }
    }

    private func forget(_ state: inout MemoryBlobStore.State) {
        state.committing = state.committing.filter { $0.value.name != name }
    }
}

private final class MemoryBlobWriter: BlobWriter {
    private let blob: MemoryStagedBlob
    private let offset: Int
    private let digests: Set<DigestKind>
    private let taken = Mutex(ByteBuffer())

    init(blob: MemoryStagedBlob, offset: Int, digests: Set<DigestKind>) {
        self.blob = blob
        self.offset = offset
        self.digests = digests
    }

    func append(_ bytes: ByteBuffer) async throws {
        let before = taken.withLock { taken in
            defer { taken.writeImmutableBuffer(bytes) }
            return taken.readableBytes
        }
        blob.write(bytes, at: offset + before)
    }

    func settle() async {}

    func finish() async throws -> [DigestKind: [UInt8]] {
        let bytes = Array(taken.withLock { $0 }.readableBytesView)
        return digests.reduce(into: [:]) { result, kind in
            result[kind] =
                switch kind {
                case .crc32: crc32(bytes)
                case .md5: Array(Insecure.MD5.hash(data: bytes))
                case .sha1: Array(Insecure.SHA1.hash(data: bytes))
                case .sha256: Array(SHA256.hash(data: bytes))
                }
        }
    }

    /// Bit by bit, as the polynomial says (RFC 1952 section 8).
    private func crc32(_ bytes: [UInt8]) -> [UInt8] {
        var sum: UInt32 = .max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
        }
        return (0..<4).reversed().map { UInt8(truncatingIfNeeded: ~sum >> ($0 * 8)) }
    }
}

private struct MemoryOpenBlob: OpenBlob {
    let bytes: ByteBuffer
    var size: Int64 { Int64(bytes.readableBytes) }
    var local: LocalBytes? { .memory(bytes) }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        let start = min(Int(offset), bytes.readableBytes)
        return bytes.getSlice(at: start, length: min(count, bytes.readableBytes - start)) ?? ByteBuffer()
    }
}
