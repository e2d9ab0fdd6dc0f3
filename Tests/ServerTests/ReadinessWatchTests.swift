import Domain
import Logging
import NIOPosix
import ServiceLifecycle
import Storage
import Support
import Synchronization
import Testing

@testable import Server

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
            // Its time stands still: on a busy machine results would be old before they are read.
            let now = ContinuousClock.now
            let watch = ReadinessWatch(
                readiness: Readiness { now },
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
        let broken = HookedStore(MemoryObjectStore(), beforeRead: { throw Broken() })
        let obstacles = try await watch(stores: [MemoryObjectStore(), broken]) { watch in
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
            configuration.maximumGracefulShutdownDuration = .seconds(600)
            let group = ServiceGroup(configuration: configuration)
            async let end: Void = group.run()
            try await eventually { queue.checks >= 2 }
            await group.triggerGracefulShutdown()
            try await end
            return watch.readiness.obstacles
        }
        // Other checks can have no result yet.
        #expect(obstacles.first == .stopping)
    }
}
