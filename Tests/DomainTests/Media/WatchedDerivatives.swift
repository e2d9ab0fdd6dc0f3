import NIOCore
import Support
import Synchronization

@testable import Domain

/// Derivatives in memory that tell of their changes, and can be held before one.
final class WatchedDerivatives: DerivativeStore {
    /// What happened to the derivatives of a source.
    enum Event: Sendable, Equatable {
        case stored(String)
        case removed(String)
    }

    private let store: MemoryDerivativeStore
    private let events = AsyncStream.makeStream(of: Event.self)
    private let held = Mutex<(reached: Gate, mayGoOn: Gate)?>(nil)
    private let misses = Atomic(false)
    private let openFiles = Mutex<OpenFiles?>(nil)

    /// - Parameter bound: The most bytes kept.
    init(bound: Int64 = .max) {
        store = MemoryDerivativeStore(bound: bound)
    }

    /// How many derivatives are kept.
    var count: Int { store.count }

    /// The first event that was not yet told of.
    func next() async -> Event? {
        var iterator = events.stream.makeAsyncIterator()
        return await iterator.next()
    }

    /// Holds what is stored from now on: it says that it is about to be, and is when it may.
    func holdStores() -> (reached: Gate, mayGoOn: Gate) {
        let gates = (reached: Gate(), mayGoOn: Gate())
        held.withLock { $0 = gates }
        return gates
    }

    /// Lets the next look find nothing, as one does that comes too early.
    func missNext() {
        misses.store(true, ordering: .relaxed)
    }

    /// Keeps derivatives in files from now on, each of which counts as open while its blob exists.
    func keepInFiles(_ files: OpenFiles) {
        openFiles.withLock { $0 = files }
    }

    /// Removes all derivatives, as a cache without space does.
    func removeAll() {
        store.removeAll()
    }

    func open(_ name: DerivativeName) async throws -> StoredDerivative? {
        guard !misses.exchange(false, ordering: .relaxed) else { return nil }
        guard let stored = try await store.open(name), let files = openFiles.withLock(\.self) else {
            return try await store.open(name)
        }
        let bytes = try await stored.blob.read(at: 0, count: Int(stored.blob.size))
        let blob = try CountedBlob(String(buffer: bytes), files)
        return StoredDerivative(blob: blob, mediaType: stored.mediaType, tag: stored.tag)
    }

    func store(_ bytes: ByteBuffer, as mediaType: MediaType, under name: DerivativeName) async throws {
        let gates = held.withLock(\.self)
        gates?.reached.open()
        await gates?.mayGoOn.wait()
        try await store.store(bytes, as: mediaType, under: name)
        events.continuation.yield(.stored(name.source))
    }

    func remove(allOf source: String) async throws {
        try await store.remove(allOf: source)
        events.continuation.yield(.removed(source))
    }
}
