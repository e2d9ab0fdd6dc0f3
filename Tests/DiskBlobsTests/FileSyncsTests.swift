import Dispatch
import NIOPosix
import Synchronization
import Testing

@testable import DiskBlobs

@Suite struct FileSyncsTests {
    private struct Broken: Error {}

    private final class Count: Sendable {
        private let value = Atomic<Int>(0)

        var number: Int { value.load(ordering: .acquiring) }

        func add() { value.wrappingAdd(1, ordering: .acquiringAndReleasing) }
    }

    private let failures = SyncFailures()
    private let syncs: FileSyncs

    init() {
        syncs = FileSyncs(failures)
    }

    @Test("after a failed sync none is run again, and all fail")
    func sticky() {
        #expect(throws: Broken.self) { try syncs.share { throw Broken() } }
        #expect(throws: Broken.self) { try syncs.share { Issue.record("The sync ran again.") } }
        #expect(failures.all == 1)
    }

    @Test("calls that wait during a sync share the next one")
    func shared() async throws {
        let pool = NIOThreadPool(numberOfThreads: 9)
        pool.start()
        let (runs, end) = (Count(), DispatchSemaphore(value: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await pool.runIfActive {
                    try syncs.share {
                        runs.add()
                        end.wait()
                    }
                }
            }
            while runs.number == 0 { await Task.yield() }
            for _ in 0..<8 {
                group.addTask {
                    try await pool.runIfActive { try syncs.share { runs.add() } }
                }
            }
            while syncs.calls < 9 { await Task.yield() }
            end.signal()
            try await group.waitForAll()
        }
        #expect(runs.number == 2)
        try await pool.shutdownGracefully()
    }
}
