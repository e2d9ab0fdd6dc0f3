internal import Domain
internal import NIOCore
internal import S3
internal import Synchronization

/// Staged bytes as segments in a folder of a bucket.
///
/// Bytes of one request that are few stay in memory, so that their blob is put in one request.
final class S3StagedBlob: S3CopyableBlob {
    let area: S3StagingArea
    let folder: StagingNames.Folder
    let md5 = RunningMD5()
    let state: Mutex<State>
    /// The note of the current commit, and whether ``discard()`` leaves it and the bytes.
    let noting = Mutex<(note: StagingNames.Note?, isKept: Bool)>((nil, false))
    /// The time before which the note of the current commit was not there.
    let notedAt = Mutex<ContinuousClock.Instant?>(nil)

    struct State {
        var segments: [String: Known] = [:]
        var map = SegmentMap()
        /// Whether the segments of other servers and of earlier requests are known.
        var isLoaded: Bool
        /// Counts the segments that were added to ``segments``.
        var additions = 0
        /// Whether segments are being joined.
        var isJoining = false
        /// The largest number of a segment that a writer got.
        var lastNumber = 0
        /// All bytes, while they are only in memory.
        var held: ByteBuffer?
        /// The facts of the bytes and the segments that had them.
        var finished: (facts: BlobFacts, pieces: [StagedFact])?
    }

    /// A segment, and when and by whom it was added.
    struct Known {
        var segment: StagedSegment
        let addition: Int
        let isOwn: Bool
    }

    /// - Parameters:
    ///   - folder: The folder of the segments.
    ///   - area: The area.
    ///   - isNew: Whether only this value writes to the folder.
    init(_ folder: StagingNames.Folder, in area: S3StagingArea, isNew: Bool = false) {
        self.folder = folder
        self.area = area
        state = Mutex(State(isLoaded: isNew))
        isShared = !isNew
    }

    /// Whether other values can write to the folder.
    let isShared: Bool

    func requireFreeSpace(for size: Int64) async throws {
        // A bucket has no end that a client could ask for, but an object has.
        guard size <= maxSize else { throw StorageFault.full.error() }
    }

    /// The largest file that can be finished: each segment is a part.
    private var maxSize: Int64 { S3Client.maxParts * area.options.segmentSize }

    func extent() async throws -> Int64 {
        if let held = state.withLock(\.held) { return Int64(held.readableBytes) }
        try await refresh()
        return state.withLock(\.map.extent)
    }

    func ranges(recorded: RangeSet<Int64>) async throws -> RangeSet<Int64> {
        if let held = state.withLock(\.held) { return RangeSet(0..<Int64(held.readableBytes)) }
        try await refresh()
        return RangeSet(state.withLock(\.map).pieces.map(\.range))
    }

    func write(at offset: Int64, order: Int?, digesting digests: Set<DigestKind>) -> any BlobWriter {
        S3BlobWriter(self, at: offset, order: order, digesting: digests)
    }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        if let held = state.withLock(\.held) { return held.part(at: offset, count: count) }
        let (map, isLoaded) = state.withLock { ($0.map, $0.isLoaded) }
        if isLoaded, map.extent >= offset + Int64(count) {
            do {
                return try await read(at: offset, count: count, of: map)
            } catch let error as ServiceError where error.isMissingObject {
                // Another server can have joined segments.
            }
        }
        try await refresh()
        return try await read(at: offset, count: count, of: state.withLock(\.map))
    }

    func open() async throws -> any OpenBlob {
        if let held = state.withLock(\.held) { return HeldBytes(held) }
        try await refresh()
        return S3StagedReader(self, state.withLock(\.map))
    }

    func synchronize() async throws {
        // Segments and notes are durable when they are acknowledged.
        try await releaseMemory()
    }

    /// Learns the segments of other servers, and the ETags of all.
    ///
    /// - Parameter isNeeded: Whether to list segments that only this value writes.
    /// - Throws: Errors of the storage.
    func refresh(always isNeeded: Bool = false) async throws {
        guard isShared || isNeeded else { return }
        let before = state.withLock(\.additions)
        let prefix = area.names.segments(in: folder)
        let sealed = area.sealing(folder)
        let listed = try await area.bucket.run { [bucket = area.bucket] _ in
            try bucket.objects(prefix).compactMap { object in
                let name = String(object.key.dropFirst(prefix.count))
                do {
                    return try StagedSegment(name: name, tag: object.tag, objectSize: object.size, sealedIn: sealed)
                } catch {
                    throw S3Error(.settings, "the staged bytes '\(object.key)' cannot be used: \(error)")
                }
            }
        }
        state.withLock { state in
            let own = Set(state.segments.values.filter(\.isOwn).map(\.segment.name))
            // Those that a writer added meanwhile can be missing in the list.
            state.segments = state.segments.filter { $0.value.addition >= before }
            for segment in listed {
                let name = segment.name
                state.segments[name] = Known(
                    segment: segment,
                    addition: state.additions,
                    isOwn: own.contains(name)
                )
                state.additions += 1
            }
            state.map = SegmentMap(state.segments.values.map(\.segment))
            state.isLoaded = true
        }
    }

    /// The number of a writer's segments: its order, or one that is larger than those of all segments so far.
    func nextNumber(_ order: Int? = nil) async throws -> Int {
        // A writer on another server can have got larger ones, and small segments are joined with their neighbours.
        try await refresh()
        return state.withLock { state in
            if let order {
                state.lastNumber = max(state.lastNumber, order)
                return order
            }
            let largest = state.segments.values.map(\.segment.number).max() ?? 0
            state.lastNumber = max(state.lastNumber, largest) + 1
            return state.lastNumber
        }
    }

    /// Puts bytes as a segment; blocks.
    func put(_ bytes: ByteBuffer, at offset: Int64, number: Int) throws {
        try area.bucket.health.requireSpace()
        if folder.isDraft { try area.servers.renew() }
        let run = StagedSegment.Run(number: number, size: Int64(bytes.readableBytes))
        add(try put(bytes, at: offset, runs: [run]))
    }

    /// Puts bytes as an object; blocks.
    func put(_ bytes: ByteBuffer, at offset: Int64, runs: [StagedSegment.Run]) throws -> StagedSegment {
        let id = S3StagingArea.randomID()
        let (segment, content) = try bytes.withUnsafeReadableBytes { bytes in
            let segment = try StagedSegment(bytes, at: offset, runs: runs, id: id, sealedIn: area.sealing(folder))
            return (segment, try segment.content(of: bytes))
        }
        try area.bucket.client.put(area.names.segments(in: folder) + segment.name, bytes: content)
        return segment
    }

    /// Whether no other writer of this value got a number after one.
    func isLast(_ number: Int) -> Bool { state.withLock { $0.lastNumber == number } }

    /// Adds a segment that is in the bucket.
    func add(_ segment: StagedSegment) {
        state.withLock { state in
            state.segments[segment.name] = Known(segment: segment, addition: state.additions, isOwn: true)
            state.additions += 1
            if segment.number >= state.segments.values.lazy.map(\.segment.number).max() ?? 0 {
                state.map.add(segment)
            } else {
                state.map = SegmentMap(state.segments.values.map(\.segment))
            }
        }
    }

    /// Keeps all bytes in memory, if they are the first ones.
    func hold(_ bytes: ByteBuffer) -> Bool {
        guard !isShared, !area.memory.isExhausted else { return false }
        return state.withLock { state in
            guard state.held == nil, state.segments.isEmpty, state.lastNumber == 0 else { return false }
            state.held = bytes
            return true
        }
    }

    /// Puts the bytes that are only in memory as a segment.
    func releaseMemory() async throws {
        guard let held = state.withLock(\.held) else { return }
        let number = try await nextNumber()
        if held.readableBytes > 0 {
            try await area.bucket.run { [self] _ in try put(held, at: 0, number: number) }
        }
        dropMemory()
    }

    func dropMemory() {
        let held = state.withLock { state in
            defer { state.held = nil }
            return state.held
        }
        if let held { area.memory.remove(held.readableBytes) }
    }

    deinit {
        dropMemory()
    }
}

extension ByteBuffer {
    /// Up to `count` bytes from `offset`, counted from the first byte.
    func part(at offset: Int64, count: Int) -> ByteBuffer {
        let start = min(Int(clamping: offset), readableBytes)
        return getSlice(at: readerIndex + start, length: min(count, readableBytes - start)) ?? ByteBuffer()
    }
}
