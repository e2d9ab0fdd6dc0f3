import Domain
import Logging
import NIOPosix
import ServiceLifecycle
import Storage
import Support
import Synchronization
import Testing

@testable import Server

/// A store that answers no read.
private struct FailingStore: ObjectStore {
    struct Failure: Error {}

    let changes = ChangeFeed()

    func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        throw Failure()
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        throw Failure()
    }
}

/// A storage that is full.
private struct FullInspector: StorageInspector {
    func inspect(suspecting suspicion: StorageFault?) -> StorageCondition {
        var condition = StorageCondition()
        condition.faults = [.full]
        return condition
    }
}

/// A queue that counts how often it is checked.
private final class StubQueue: Sendable {
    private let isFull: Bool
    private let count = Atomic(0)

    init(isFull: Bool) {
        self.isFull = isFull
    }

    var checks: Int { count.load(ordering: .relaxed) }

    func check() -> Bool {
        count.wrappingAdd(1, ordering: .relaxed)
        return isFull
    }
}

@Suite struct ReadinessWatchTests {
    private func watch<Result: Sendable>(
        health: StorageHealth = StorageHealth(),
        stores: [any ObjectStore] = [],
        queue: StubQueue = StubQueue(isFull: false),
        _ body: @Sendable (ReadinessWatch) async throws -> Result
    ) async throws -> Result {
        try await Samples.withFolder { folder in
            let pool = NIOThreadPool(numberOfThreads: 1)
            pool.start()
            let watch = ReadinessWatch(
                readiness: Readiness(),
                health: health,
                probe: try StorageProbe(in: StorageFolder(path: folder), minFree: 0),
                pool: pool,
                stores: stores,
                bucket: nil,
                queues: [(.imageQueue, { queue.check() })],
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            let result = try await body(watch)
            try await pool.shutdownGracefully()
            return result
        }
    }

    @Test("after the first checks a sound server is ready")
    func ready() async throws {
        let obstacles = try await watch(stores: [MemoryObjectStore(), MemoryObjectStore()]) { watch in
            await watch.begin()
            return watch.readiness.obstacles
        }
        #expect(obstacles == [])
    }

    @Test("one database of several that does not answer is an obstacle")
    func database() async throws {
        let obstacles = try await watch(stores: [MemoryObjectStore(), FailingStore()]) { watch in
            await watch.begin()
            return watch.readiness.obstacles
        }
        #expect(obstacles == [.database])
    }

    @Test("a full queue and a known fault of the storage are obstacles")
    func queueAndFault() async throws {
        let health = StorageHealth(inspector: FullInspector())
        health.look()
        let obstacles = try await watch(health: health, queue: StubQueue(isFull: true)) { watch in
            await watch.begin()
            return watch.readiness.obstacles
        }
        #expect(obstacles == [.storageFull, .imageQueue])
    }

    @Test("the checks are repeated until the server stops, which is an obstacle from then on")
    func stopping() async throws {
        let queue = StubQueue(isFull: false)
        let obstacles = try await watch(queue: queue) { watch in
            var configuration = ServiceGroupConfiguration(services: [watch], logger: watch.logger)
            configuration.maximumGracefulShutdownDuration = .seconds(20)
            let group = ServiceGroup(configuration: configuration)
            async let end: Void = group.run()
            while queue.checks < 2 { await Task.yield() }
            await group.triggerGracefulShutdown()
            try await end
            return watch.readiness.obstacles
        }
        // On a busy machine the last checks can be late by now.
        #expect(obstacles.first == .stopping)
    }
}
