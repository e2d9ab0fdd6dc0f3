package import Domain
package import NIOCore
internal import Synchronization

/// Blobs in memory, for tests of code that uses a ``BlobStore``.
package final class MemoryBlobStore: BlobStore {
    private let state = Mutex(State())
    private let isLocal: Bool
    package let isShared: Bool
    private let isRemote: Bool
    private let remoteLife: Int

    private struct Blob {
        let bytes: ByteBuffer
        let file: ObjectID
    }

    private struct State {
        var blobs: [BlobName: Blob] = [:]
        var trash: [ObjectID: Blob] = [:]
        var putFailure: (error: ServiceError, isLate: Bool)?
        var undoFailure: ServiceError?
        var removalFailures: [BlobName: Int] = [:]
        var removalSizes: [Int] = []
        var reads: [Range<Int64>] = []
        var remoteLookups = 0
    }

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - isLocal: Whether readers get the bytes themselves, or must read them as from another machine.
    ///   - isShared: Whether it leaves blobs of other files, as a store of several servers.
    ///   - isRemote: Whether clients can get blobs from it, under `https://store.example.com/`.
    ///   - remoteLife: The maximum number of seconds for which a URL of it can be valid.
    package init(isLocal: Bool = true, isShared: Bool = false, isRemote: Bool = false, remoteLife: Int = .max) {
        self.isLocal = isLocal
        self.isShared = isShared
        self.isRemote = isRemote
        self.remoteLife = remoteLife
    }

    /// The number of stored blobs.
    package var count: Int { with(\.blobs.count) }

    /// The number of blobs in the trash.
    package var trashCount: Int { with(\.trash.count) }

    /// The ranges that were read of blobs that are not local, in this order.
    package var reads: [Range<Int64>] { with(\.reads) }

    /// The number of blobs that were looked for to redirect clients.
    package var remoteLookups: Int { with(\.remoteLookups) }

    /// The number of blobs of each removal.
    package var removalSizes: [Int] { with(\.removalSizes) }

    /// Makes every put fail from now on; `nil` makes them work again.
    ///
    /// - Parameters:
    ///   - failure: The error to throw.
    ///   - isLate: Whether the blob is stored before the failure, as if only the response was lost.
    package func failPuts(_ failure: ServiceError?, afterStoring isLate: Bool = false) {
        with { $0.putFailure = failure.map { ($0, isLate) } }
    }

    /// Makes every undo fail from now on; `nil` makes them work again.
    package func failUndos(_ failure: ServiceError?) {
        with { $0.undoFailure = failure }
    }

    /// Makes a number of removals of a blob fail from now on.
    package func failRemovals(of key: FileKey, times: Int = .max) {
        with { $0.removalFailures[BlobName(key)] = times }
    }

    package func put(
        _ staged: any StagedBlob,
        _ facts: BlobFacts,
        as key: FileKey,
        of file: ObjectID
    ) async throws {
        try await staged.synchronize()
        let bytes = try await staged.read(at: 0, count: Int(facts.size))
        var hasher = ContentHasher()
        bytes.withUnsafeReadableBytes { hasher.update($0) }
        guard BlobDigest.contentHash(hasher.finalize()) == facts.digest else {
            throw ServiceError(.internalFailure, "Other bytes were staged.")
        }
        try with { state in
            if let failure = state.putFailure, !failure.isLate { throw failure.error }
            let found = state.blobs[BlobName(key)]
            guard found == nil || found?.file == file else { throw ServiceError(.duplicateValue, "The key is taken.") }
            state.blobs[BlobName(key)] = Blob(bytes: bytes, file: file)
            if let failure = state.putFailure { throw failure.error }
        }
    }

    package func undo(_ staged: any StagedBlob, as blob: BlobName, of file: ObjectID) async throws {
        try with { state in
            if let failure = state.undoFailure { throw failure }
            if state.blobs[blob]?.file == file { state.blobs[blob] = nil }
        }
    }

    package func open(_ blob: FileBlob) async throws -> (any OpenBlob)? {
        guard let bytes = with({ $0.blobs[BlobName(blob.key)]?.bytes }) else { return nil }
        guard !isLocal else { return MemoryOpenBlob(bytes: bytes) }
        return RemoteOpenBlob(bytes: bytes) { range in self.with { $0.reads.append(range) } }
    }

    package func remote(_ blob: FileBlob) async throws -> (any RemoteBlob)? {
        let key = blob.key
        guard isRemote else { return nil }
        return with { state in
            state.remoteLookups += 1
            return state.blobs[BlobName(key)].map { blob in
                MemoryRemoteBlob(size: Int64(blob.bytes.readableBytes), name: BlobName(key), life: remoteLife)
            }
        }
    }

    package func remove(_ blobs: [FileBlob]) async throws -> [(any Error)?] {
        try Task.checkCancellation()
        return with { state in
            state.removalSizes.append(blobs.count)
            return blobs.map { blob in
                let name = BlobName(blob.key)
                if let times = state.removalFailures[name], times > 0 {
                    state.removalFailures[name] = times - 1
                    return StorageFault.failing.error(cause: Broken())
                }
                if owns(state.blobs[name], blob) { state.blobs[name] = nil }
                return nil
            }
        }
    }

    package func moveToTrash(_ blobs: [TrashedBlob]) async throws -> [(any Error)?] {
        try Task.checkCancellation()
        return with { state in
            blobs.map { blob in
                let name = BlobName(blob.key)
                if let times = state.removalFailures[name], times > 0 {
                    state.removalFailures[name] = times - 1
                    return StorageFault.failing.error(cause: Broken())
                }
                guard let found = state.blobs[name], owns(found, blob.blob) else { return nil }
                state.blobs[name] = nil
                state.trash[blob.entry] = found
                return nil
            }
        }
    }

    package func restore(_ blob: TrashedBlob) async throws -> Bool {
        try with { state in
            let found = state.blobs[BlobName(blob.key)]
            guard let own = state.trash[blob.entry] else {
                return found != nil && owns(found, blob.blob)
            }
            guard found == nil || found?.file == own.file else {
                throw ServiceError(.duplicateValue, "The key is taken.")
            }
            state.blobs[BlobName(blob.key)] = own
            return true
        }
    }

    package func open(trashed entry: ObjectID) async throws -> (any OpenBlob)? {
        with { $0.trash[entry]?.bytes }.map { MemoryOpenBlob(bytes: $0) }
    }

    package func removeFromTrash(_ entries: [ObjectID]) async throws -> [(any Error)?] {
        try Task.checkCancellation()
        return with { state in
            for entry in entries { state.trash[entry] = nil }
            return entries.map { _ in nil }
        }
    }

    private func owns(_ found: Blob?, _ blob: FileBlob) -> Bool {
        guard isShared, blob.file != nil else { return true }
        return found.map { blob.isPut(under: $0.file) } ?? false
    }

    private func with<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { state in try body(&state) }
    }
}

/// A blob whose bytes are in this process.
struct MemoryOpenBlob: OpenBlob {
    let bytes: ByteBuffer
    /// Lives as long as the blob is open.
    var opening: (any Sendable)?
    var size: Int64 { Int64(bytes.readableBytes) }
    var local: LocalBytes? { .memory(bytes) }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer { bytes.part(at: offset, count: count) }
}

/// A blob with URLs that no server has, and that say what they were made of.
struct MemoryRemoteBlob: RemoteBlob {
    let size: Int64
    let name: BlobName
    let life: Int

    func url(_ fields: RemoteBlobFields, _ period: RedirectPeriod) -> String? {
        guard period.seconds <= life else { return nil }
        let parts = [
            "https://store.example.com/\(name)", fields.contentType, fields.cacheControl,
            fields.contentDisposition ?? "", "\(period.start)", "\(period.seconds)",
        ]
        return parts.joined(separator: "|")
    }
}

/// A blob that is read as if its bytes were on another machine.
package struct RemoteOpenBlob: OpenBlob {
    private let bytes: ByteBuffer
    private let onRead: @Sendable (Range<Int64>) -> Void

    /// - Parameters:
    ///   - bytes: The whole blob.
    ///   - onRead: Called with each range that is read.
    package init(bytes: ByteBuffer, onRead: @escaping @Sendable (Range<Int64>) -> Void) {
        self.bytes = bytes
        self.onRead = onRead
    }

    package var size: Int64 { Int64(bytes.readableBytes) }
    package var local: LocalBytes? { nil }

    package func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        let part = bytes.part(at: offset, count: count)
        onRead(offset..<offset + Int64(part.readableBytes))
        return part
    }
}
