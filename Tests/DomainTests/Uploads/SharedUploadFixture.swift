import Logging
import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// Servers that share one store, one bucket of staged bytes and one of blobs.
struct SharedUploadFixture {
    let staging = SharedStaging()
    let blobs = MemoryBlobStore()
    let clock = HeldClock()
    let time = LeaseClock()
    let people: SessionFixture

    init(rehearsing: Bool = true, coordination: MemoryCoordination? = nil) throws {
        let store = MemoryObjectStore(rehearsing: rehearsing, isShared: true, coordination: coordination)
        people = try SessionFixture(store: store)
    }

    var store: MemoryObjectStore { people.store }

    /// A server that has just been started, with a number of its own, and with another way to the store if there is one.
    func server(
        _ number: Int,
        _ limits: UploadLimits = UploadLimits(partSize: 1),
        store: (any ObjectStore)? = nil,
        deletions: FileDeletions? = nil,
        timing: LeaseTiming? = nil
    ) -> UploadService {
        UploadService(
            app: people.guest.app,
            limits: limits,
            storage: BlobStorage(staging: staging.area(of: number), blobs: blobs),
            store: store ?? self.store,
            types: FixedTypes(),
            sessions: people.sessions,
            deletions: deletions,
            leases: timing ?? time.timing,
            clock: { [clock] in clock.now }
        )
    }

    /// Announces an upload, as a guest.
    func begin(
        on service: UploadService,
        size: Int64? = nil,
        kind: StoredUpload.Kind = .file,
        tus: Bool = false
    ) async throws -> (upload: StoredUpload, token: UploadToken) {
        let description = UploadDescription(name: try FileName("a.txt", limit: 255))
        var announcement = UploadAnnouncement(description, kind: kind, size: size)
        announcement.finishesOnLastByte = tus
        return try await service.announce(announcement, as: people.guest)
    }

    /// The bytes of a file; `nil` if there is none.
    func text(of key: FileKey) async throws -> String? {
        guard let blob = try await blobs.open(key) else { return nil }
        return String(buffer: try await blob.read(at: 0, count: Int(blob.size)))
    }

    /// Expects that nothing of unfinished uploads is left but what their rows name.
    func expectNothingStaged(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(staging.count == 0, sourceLocation: sourceLocation)
        #expect(staging.noteCount == 0, sourceLocation: sourceLocation)
        #expect(store.count(of: .uploadPart) == 0, sourceLocation: sourceLocation)
    }

    var quiet: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }
}

/// The monotonic clock of servers that wait for leases; it goes on while they wait, and when a test lets it.
final class LeaseClock: Sendable {
    private let start = ContinuousClock.now
    private let passed = Mutex<(time: Duration, waits: Int)>((.zero, 0))
    private let onWait = Mutex<(@Sendable (Int) async -> Void)?>(nil)

    var now: ContinuousClock.Instant { start + passed.withLock(\.time) }

    func pass(_ duration: Duration) { passed.withLock { $0.time += duration } }

    /// Calls a function with the number of waits so far, each time that a server waits.
    func whenWaiting(_ body: (@Sendable (Int) async -> Void)?) { onWait.withLock { $0 = body } }

    /// Servers that wait let the time pass; holders renew when a test says so.
    var timing: LeaseTiming {
        var timing = LeaseTiming()
        timing.now = { [self] in now }
        timing.wait = { [self] duration in
            try Task.checkCancellation()
            let waits = passed.withLock { passed in
                passed.time += duration
                passed.waits += 1
                return passed.waits
            }
            await onWait.withLock(\.self)?(waits)
            await Task.yield()
        }
        timing.pause = { _ in try await Task.sleep(for: .seconds(86_400)) }
        return timing
    }
}

extension UploadService {
    /// The number of stored bytes, as `HEAD` of tus asks for it.
    func offset(_ token: UploadToken) async throws -> Int64? {
        try await using(token) { try await $0.settledOffset() }
    }

    /// Appends bytes when a gate opens, after the request has begun.
    func append(
        _ text: String,
        at offset: Int64,
        _ token: UploadToken,
        begun: Gate,
        after gate: Gate
    ) async throws -> Int64 {
        try await using(token) { upload in
            try await upload.append(at: offset, announced: nil, digesting: []) { sink in
                begun.open()
                await gate.wait()
                try await sink.append(ByteBuffer(string: text))
                return nil
            }
        }
    }

    /// Sends a part when a gate opens, after the request has begun.
    func part(
        _ number: Int,
        _ text: String,
        _ token: UploadToken,
        begun: Gate,
        after gate: Gate
    ) async throws -> UploadHandle.PartReceipt {
        try await using(token) { upload in
            try await upload.receivePart(number, size: Int64(text.utf8.count), expecting: [:]) { sink in
                begun.open()
                await gate.wait()
                try await sink.append(ByteBuffer(string: text))
            }
        }
    }
}
