internal import Crypto
package import Domain
internal import NIOCore
internal import Synchronization

/// Staged bytes in memory, for tests of code that uses a ``StagingArea``.
package final class MemoryStagingArea: StagingArea {
    package let bootID: String
    private let state = Mutex(State())

    fileprivate struct State {
        /// The bytes by the name that a file on the disk would have.
        var staged: [String: ByteBuffer] = [:]
        /// The ranges that were written, by the same name.
        var written: [String: RangeSet<Int64>] = [:]
        var notes: [String: CommitNote] = [:]
        /// The undecided commits.
        var kept: Set<CommitNote> = []
        var drafts = 0
        /// Runs before the next bytes without the name of an upload are staged.
        var draftHook: (@Sendable () async throws -> Void)?
        /// The number of syncs that fail next.
        var failingSyncs = 0
        /// Whether another server counts this one as ended.
        var countsAsEnded = false
        /// The names of the bytes that were closed, in this order.
        var closed: [String] = []
        /// The number of bytes that are open for reading, and the largest number so far.
        var open = (now: 0, most: 0)

        /// Whether this sync fails.
        var takesFailure: Bool {
            mutating get {
                defer { failingSyncs = max(0, failingSyncs - 1) }
                return failingSyncs > 0
            }
        }
    }

    /// Creates an empty area; another boot id simulates a boot of the machine.
    package init(bootID: String = "boot") {
        self.bootID = bootID
    }

    /// From now on another server counts this one as ended, and reverts its commits.
    package func countAsEnded() { with { $0.countsAsEnded = true } }

    /// Fails the next sync.
    package func failSync() { with { $0.failingSyncs += 1 } }

    /// The number of staged bytes that are not discarded.
    package var count: Int { with { $0.staged.count } }

    /// The names of the bytes that were closed, in this order.
    package var closed: [String] { with(\.closed) }

    /// The largest number of bytes that were open for reading at once.
    package var mostOpen: Int { with { $0.open.most } }

    /// The number of times that bytes without the name of an upload were staged: for one request, or for a copy.
    package var draftCount: Int { with(\.drafts) }

    /// Runs a body once, before the next bytes without the name of an upload are staged.
    package func beforeNextDraft(_ body: @escaping @Sendable () async throws -> Void) {
        with { $0.draftHook = body }
    }

    package func stage() async throws -> any StagedBlob {
        let hook = with { state in
            defer { state.draftHook = nil }
            return state.draftHook
        }
        try await hook?()
        let name = with { state in
            state.drafts += 1
            state.staged["draft-\(state.drafts)"] = ByteBuffer()
            return "draft-\(state.drafts)"
        }
        return MemoryStagedBlob(in: self, name: name, isDraft: true)
    }

    package func stage(as name: ObjectID) async throws -> any StagedBlob {
        guard let kept = undecidedCommits(of: name).first(where: { !$0.isDraft }), let staged = try await reopen(kept)
        else {
            with { $0.staged[name.description] = $0.staged[name.description] ?? ByteBuffer() }
            return MemoryStagedBlob(in: self, name: name.description, isDraft: false)
        }
        staged.keepNote()
        return staged
    }

    package func unsettled(
        besides isUnfinished: @escaping @Sendable (ObjectID) async throws -> Bool
    ) async throws -> [CommitNote] {
        with { Array($0.kept) }
    }

    package func undecidedCommits(of upload: ObjectID) -> [CommitNote] {
        with { state in state.kept.filter { $0.file == upload } }
    }

    package func leftovers() async throws -> [StagingLeftover] {
        with { state in
            state.staged.keys.compactMap { name in
                state.notes[name].map { .committing($0) } ?? ObjectID(name).map { .staged($0) }
            }
        }
    }

    package func reopen(_ note: CommitNote) async throws -> (any StagedBlob)? {
        let name = with { state in state.notes.first { $0.value == note }?.key }
        guard let name else { return nil }
        let blob = MemoryStagedBlob(in: self, name: note.file.description, isDraft: note.isDraft)
        blob.move(to: name)
        return blob
    }

    fileprivate func with<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { state in try body(&state) }
    }
}

private final class MemoryStagedBlob: StagedBlob {
    private let area: MemoryStagingArea
    private let isDraft: Bool
    private let stagedName: String
    private let name: Mutex<String>
    private let keepsNote = Mutex(false)
    private let hasFailed = Mutex(false)
    private let lacksSync = Mutex(false)

    init(in area: MemoryStagingArea, name: String, isDraft: Bool) {
        self.area = area
        self.isDraft = isDraft
        stagedName = name
        self.name = Mutex(name)
    }

    private var bytes: ByteBuffer {
        let name = name.withLock(\.self)
        return area.with { $0.staged[name] ?? ByteBuffer() }
    }

    /// Renames the staged bytes.
    func move(to new: String) {
        name.withLock { $0 = new }
    }

    func requireFreeSpace(for size: Int64) async throws {
        guard size < 1 << 50 else { throw StorageFault.full.error() }
    }

    func extent() async throws -> Int64 { Int64(bytes.readableBytes) }

    func ranges(recorded: RangeSet<Int64>) async throws -> RangeSet<Int64> {
        let name = name.withLock(\.self)
        return area.with { $0.written[name] ?? RangeSet() }.intersection(RangeSet(0..<Int64(bytes.readableBytes)))
    }

    func write(at offset: Int64, order: Int?, digesting digests: Set<DigestKind>) -> any BlobWriter {
        MemoryBlobWriter(blob: self, offset: Int(offset), digests: digests)
    }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        bytes.part(at: offset, count: count)
    }

    func open() async throws -> any OpenBlob { MemoryOpenBlob(bytes: bytes, opening: Opening(in: area)) }

    func synchronize() async throws {
        try hasFailed.withLock { hasFailed in
            if !hasFailed { hasFailed = area.with { $0.takesFailure } }
            if hasFailed { throw StorageFault.failing.error() }
        }
        lacksSync.withLock { $0 = false }
    }

    var isSynced: Bool { !lacksSync.withLock(\.self) }

    func close() async throws {
        let name = name.withLock(\.self)
        area.with { $0.closed.append(name) }
        if !isSynced { try await synchronize() }
    }

    func requireOwnCommit() throws {
        guard area.with({ $0.countsAsEnded }) else { return }
        throw ServiceError(.overloaded, "Another server took this one for ended.")
    }

    func finish(size: Int64, needsMD5: Bool) async throws -> StagedFacts {
        guard bytes.readableBytes >= Int(size) else { throw StorageFault.failing.error() }
        let bytes = bytes.part(at: 0, count: Int(size))
        let name = name.withLock(\.self)
        area.with { $0.staged[name] = bytes }
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

    func noteCommit(as blob: BlobName, of file: ObjectID) async throws {
        keepsNote.withLock { $0 = false }
        endNote()
        let note = CommitNote(file: file, blob: blob, isDraft: isDraft)
        rename(to: "\(file).\(blob)\(isDraft ? ".draft" : "")", note)
    }

    func cancelCommit() async throws {
        keepsNote.withLock { $0 = false }
        endNote()
        rename(to: stagedName, nil)
    }

    func keepNote() {
        let name = name.withLock(\.self)
        let isNoted = area.with { state in state.notes[name].map { state.kept.insert($0) } != nil }
        if isNoted { keepsNote.withLock { $0 = true } }
    }

    private func endNote() {
        let name = name.withLock(\.self)
        area.with { state in
            if let note = state.notes[name] { state.kept.remove(note) }
        }
    }

    func discard() async {
        guard !keepsNote.withLock(\.self) else { return }
        endNote()
        let name = name.withLock(\.self)
        area.with { state in
            state.staged[name] = nil
            state.written[name] = nil
            state.notes[name] = nil
        }
    }

    func write(_ buffer: ByteBuffer, at offset: Int) {
        let name = name.withLock(\.self)
        lacksSync.withLock { $0 = true }
        area.with { state in
            var bytes = state.staged[name] ?? ByteBuffer()
            if bytes.readableBytes < offset { bytes.writeRepeatingByte(0, count: offset - bytes.readableBytes) }
            bytes.setBuffer(buffer, at: offset)
            bytes.moveWriterIndex(to: max(bytes.writerIndex, offset + buffer.readableBytes))
            state.staged[name] = bytes
            state.written[name, default: RangeSet()]
                .insert(contentsOf: Int64(offset)..<Int64(offset + buffer.readableBytes))
        }
    }

    private func rename(to new: String, _ note: CommitNote?) {
        name.withLock { name in
            area.with { state in
                let bytes = state.staged.removeValue(forKey: name)
                state.notes[name] = nil
                state.staged[new] = bytes
                state.written[new] = state.written.removeValue(forKey: name)
                state.notes[new] = note
            }
            name = new
        }
    }
}

/// Counts bytes as open while it lives.
private final class Opening: Sendable {
    private let area: MemoryStagingArea

    init(in area: MemoryStagingArea) {
        self.area = area
        area.with { $0.open = ($0.open.now + 1, max($0.open.most, $0.open.now + 1)) }
    }

    deinit { area.with { $0.open.now -= 1 } }
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

    /// The CRC-32, computed bit by bit from the polynomial (RFC 1952 section 8).
    private func crc32(_ bytes: [UInt8]) -> [UInt8] {
        var sum: UInt32 = .max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
        }
        return (0..<4).reversed().map { UInt8(truncatingIfNeeded: ~sum >> ($0 * 8)) }
    }
}

extension ByteBuffer {
    /// Up to `count` bytes from `offset`, counted from the first byte.
    func part(at offset: Int64, count: Int) -> ByteBuffer {
        let start = min(Int(clamping: offset), readableBytes)
        return getSlice(at: readerIndex + start, length: min(count, readableBytes - start)) ?? ByteBuffer()
    }
}
