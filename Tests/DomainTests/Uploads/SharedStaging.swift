import Crypto
import NIOCore
import Synchronization

@testable import Domain

/// Staged bytes in memory that several servers share, with the rules of a bucket: what a writer puts is there at once
/// and for all, and where bytes overlap, the larger number is current (docs/decisions/0006-staged-bytes-in-s3.md).
final class SharedStaging: Sendable {
    struct Note: Hashable {
        let commit: CommitNote
        let server: Int
        let folder: String
    }

    private struct Segment {
        let id: Int
        let number: Int
        let offset: Int
        /// Empty for the mark of an end.
        let bytes: [UInt8]
        let isEnd: Bool
    }

    private struct State {
        var folders: [String: [Segment]] = [:]
        var notes: Set<Note> = []
        /// The notes that servers keep as undecided.
        var kept: Set<Note> = []
        var ended: Set<Int> = []
        var drafts = 0
        /// The number of segments that were put.
        var puts = 0
        var onPut: (@Sendable (Int) async -> Void)?
        var onCommit: (@Sendable (Int) async -> Void)?
    }

    private let state = Mutex(State())

    /// The number of folders with bytes.
    var count: Int { with { $0.folders.count } }
    var noteCount: Int { with { $0.notes.count } }

    /// Calls a function with the server before each put of a writer's bytes.
    func beforePuts(_ body: (@Sendable (Int) async -> Void)?) { with { $0.onPut = body } }

    /// Calls a function with the server after each note, before the blob is put.
    func afterNotes(_ body: (@Sendable (Int) async -> Void)?) { with { $0.onCommit = body } }

    /// A server has ended, and the others know it.
    func end(_ server: Int) {
        with { state in
            state.ended.insert(server)
            state.kept = state.kept.filter { $0.server != server }
        }
    }

    func area(of server: Int) -> any StagingArea { Area(shared: self, server: server) }

    private func with<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { state in try body(&state) }
    }

    /// The segments in the order in which they count.
    private func segments(of folder: String) -> [Segment] {
        with { $0.folders[folder, default: []] }.enumerated()
            .sorted { ($0.element.number, $0.offset) < ($1.element.number, $1.offset) }.map(\.element)
    }

    private func extent(of folder: String) -> Int { SharedStaging.extent(of: segments(of: folder)) }

    /// The bytes of a range, without what is behind the end; `nil` where there are none.
    private func bytes(of folder: String, in range: Range<Int>) -> [UInt8?] {
        SharedStaging.bytes(of: segments(of: folder), in: range)
    }

    private static func extent(of segments: [Segment]) -> Int {
        segments.reduce(0) { extent, segment in
            segment.isEnd ? min(extent, segment.offset) : max(extent, segment.offset + segment.bytes.count)
        }
    }

    private static func bytes(of segments: [Segment], in range: Range<Int>) -> [UInt8?] {
        let range = range.clamped(to: 0..<extent(of: segments))
        var bytes = [UInt8?](repeating: nil, count: range.count)
        for segment in segments {
            let end = segment.isEnd ? Int.max : segment.offset + segment.bytes.count
            for offset in range.clamped(to: segment.offset..<end) {
                bytes[offset - range.lowerBound] = segment.isEnd ? nil : segment.bytes[offset - segment.offset]
            }
        }
        return bytes
    }

    /// The bytes of a folder when they were opened; parts can be far from each other.
    private struct Opened: OpenBlob {
        let segments: [Segment]
        var size: Int64 { Int64(SharedStaging.extent(of: segments)) }
        var local: LocalBytes? { nil }

        func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
            ByteBuffer(bytes: SharedStaging.bytes(of: segments, in: Int(offset)..<Int(offset) + count).map { $0 ?? 0 })
        }
    }

    private struct Area: StagingArea {
        let shared: SharedStaging
        let server: Int
        let bootID = "shared"
        let isShared = true

        func stage() async throws -> any StagedBlob {
            let number = shared.with { state in
                state.drafts += 1
                return state.drafts
            }
            return Staged(shared: shared, server: server, folder: "draft-\(server)-\(number)")
        }

        func stage(as name: ObjectID) async throws -> any StagedBlob {
            let staged = Staged(shared: shared, server: server, folder: name.description)
            if let kept = undecided(name) { staged.noting.withLock { $0 = (kept, true) } }
            return staged
        }

        func leftovers() async throws -> [StagingLeftover] {
            shared.with { state in
                let busy = Set(state.notes.map(\.folder))
                for folder in state.folders.keys where folder.hasPrefix("draft-") && !busy.contains(folder) {
                    let owner = folder.split(separator: "-")[1]
                    if state.ended.contains(Int(owner) ?? 0) { state.folders[folder] = nil }
                }
                let staged = state.folders.keys.filter { !busy.contains($0) && !$0.hasPrefix("draft-") }
                return staged.compactMap { ObjectID($0) }.map { .staged($0) }
                    + Set(state.notes.filter { state.ended.contains($0.server) }.map(\.commit)).map { .committing($0) }
            }
        }

        func unsettled(
            besides isUnfinished: @escaping @Sendable (ObjectID) async throws -> Bool
        ) async throws -> [CommitNote] {
            shared.with { state in
                let left = state.notes.filter { state.ended.contains($0.server) }
                return Array(Set((state.kept.filter { $0.server == server } + left).map(\.commit)))
            }
        }

        func undecidedCommits(of upload: ObjectID) -> [CommitNote] {
            shared.with { state in
                let own = state.kept.filter { $0.server == server }
                return own.filter { $0.commit.file == upload || $0.folder == upload.description }.map(\.commit)
            }
        }

        private func undecided(_ upload: ObjectID) -> Note? {
            shared.with { state in state.kept.first { $0.server == server && $0.folder == upload.description } }
        }

        func reopen(_ note: CommitNote) async throws -> (any StagedBlob)? {
            let found = shared.with { state in
                let notes = state.notes.filter { $0.commit == note }
                if notes.isEmpty { state.kept = state.kept.filter { $0.commit != note } }
                return notes.first { $0.server == server } ?? notes.first { state.ended.contains($0.server) }
            }
            guard let found else { return nil }
            let staged = Staged(shared: shared, server: server, folder: found.folder)
            staged.noting.withLock { $0 = (found, false) }
            return staged
        }
    }

    private final class Staged: StagedBlob {
        let shared: SharedStaging
        let server: Int
        let folder: String
        let noting = Mutex<(note: Note?, isKept: Bool)>((nil, false))

        init(shared: SharedStaging, server: Int, folder: String) {
            self.shared = shared
            self.server = server
            self.folder = folder
        }

        func requireFreeSpace(for size: Int64) async throws {}
        func extent() async throws -> Int64 { Int64(shared.extent(of: folder)) }

        func ranges(recorded: RangeSet<Int64>) async throws -> RangeSet<Int64> {
            let bytes = shared.bytes(of: folder, in: 0..<shared.extent(of: folder))
            return RangeSet(bytes.indices.filter { bytes[$0] != nil }.map { Int64($0)..<Int64($0) + 1 })
        }

        func write(at offset: Int64, order: Int?, digesting digests: Set<DigestKind>) -> any BlobWriter {
            Writer(blob: self, offset: Int(offset), order: order, digests: digests)
        }

        func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
            ByteBuffer(bytes: shared.bytes(of: folder, in: Int(offset)..<Int(offset) + count).map { $0 ?? 0 })
        }

        func open() async throws -> any OpenBlob {
            Opened(segments: shared.segments(of: folder))
        }

        func synchronize() async throws {}

        func finish(size: Int64, needsMD5: Bool) async throws -> StagedFacts {
            let bytes = shared.bytes(of: folder, in: 0..<Int(size)).compactMap(\.self)
            guard bytes.count == size else { throw StorageFault.failing.error() }
            if shared.extent(of: folder) > size { put([], at: Int(size), nil, isEnd: true) }
            var hasher = ContentHasher()
            bytes.withUnsafeBytes { hasher.update($0) }
            let md5 = Insecure.MD5.hash(data: bytes).map { String($0, radix: 16) }.joined()
            return StagedFacts(
                blob: BlobFacts(size: size, digest: .contentHash(hasher.finalize()), md5: md5),
                head: ByteBuffer(bytes: bytes.prefix(StagedFacts.headSize))
            )
        }

        func put(_ bytes: [UInt8], at offset: Int, _ order: Int?, isEnd: Bool = false) {
            shared.with { state in
                let largest = state.folders[folder, default: []].map(\.number).max() ?? 0
                let number = order ?? largest + 1
                let segment = Segment(id: state.puts, number: number, offset: offset, bytes: bytes, isEnd: isEnd)
                state.puts += 1
                state.folders[folder, default: []].append(segment)
            }
        }

        func noteCommit(as blob: BlobName, of file: ObjectID) async throws {
            let commit = CommitNote(file: file, blob: blob, isDraft: folder.hasPrefix("draft-"))
            let note = Note(commit: commit, server: server, folder: folder)
            // That of another blob stays undecided.
            if noting.withLock({ $0.note?.commit.blob == blob }) { endNote() }
            shared.with { _ = $0.notes.insert(note) }
            noting.withLock { $0 = (note, false) }
            await shared.with(\.onCommit)?(server)
        }

        func cancelCommit() async throws { endNote() }

        func keepNote() {
            guard let note = noting.withLock(\.note) else { return }
            noting.withLock { $0.isKept = true }
            shared.with { _ = $0.kept.insert(note) }
        }

        func discard() async {
            guard !noting.withLock(\.isKept) else { return }
            shared.with { $0.folders[folder] = nil }
            endNote()
        }

        func discard(unless isNeeded: @escaping @Sendable () async throws -> Bool) async {
            guard !noting.withLock(\.isKept) else { return }
            let listed = shared.with { Set($0.folders[folder, default: []].map(\.id)) }
            guard (try? await isNeeded()) == false else { return }
            shared.with { state in
                let left = state.folders[folder, default: []].filter { !listed.contains($0.id) }
                state.folders[folder] = left.isEmpty ? nil : left
            }
            endNote()
        }

        private func endNote() {
            let note = noting.withLock { noting in
                defer { noting = (nil, false) }
                return noting.note
            }
            guard let note else { return }
            shared.with { state in
                state.kept = state.kept.filter { $0.commit != note.commit }
                state.notes.remove(note)
            }
        }

        /// Before the bytes of a writer are there.
        func willPut() async { await shared.with(\.onPut)?(server) }
    }

    /// Puts its bytes when it is finished, as a bucket gets those of few megabytes.
    private final class Writer: BlobWriter {
        private let blob: Staged
        private let order: Int?
        private let digests: Set<DigestKind>
        private let state: Mutex<(offset: Int, new: [UInt8], all: [UInt8])>

        init(blob: Staged, offset: Int, order: Int?, digests: Set<DigestKind>) {
            self.blob = blob
            self.order = order
            self.digests = digests
            state = Mutex((offset, [], []))
        }

        func append(_ bytes: ByteBuffer) async throws {
            state.withLock { $0.new += Array(bytes.readableBytesView) }
        }

        func settle() async {}

        func finish() async throws -> [DigestKind: [UInt8]] {
            if !state.withLock(\.new.isEmpty) {
                await blob.willPut()
                let (bytes, offset) = state.withLock { state in
                    defer {
                        state.offset += state.new.count
                        state.all += state.new
                        state.new = []
                    }
                    return (state.new, state.offset)
                }
                blob.put(bytes, at: offset, order)
            }
            let all = state.withLock(\.all)
            return digests.reduce(into: [:]) { result, kind in
                result[kind] =
                    switch kind {
                    case .crc32: [0, 0, 0, 0]
                    case .md5: Array(Insecure.MD5.hash(data: all))
                    case .sha1: Array(Insecure.SHA1.hash(data: all))
                    case .sha256: Array(SHA256.hash(data: all))
                    }
            }
        }
    }
}
