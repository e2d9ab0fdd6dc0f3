import Support
import Synchronization
import Testing

@testable import HTTPAPI

@Suite struct DirectTasksTests {
    @Test("a body that waits for nothing has ended when its task has begun")
    func immediate() {
        let tasks = DirectTasks()
        let hasRun = Atomic(false)
        tasks.begin { hasRun.store(true, ordering: .relaxed) }
        let hasEnded = hasRun.load(ordering: .relaxed)
        #expect(hasEnded)
    }

    @Test("the end waits for all tasks")
    func finish() async {
        let tasks = DirectTasks()
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let ended = Atomic(0)
        for _ in 0..<3 {
            tasks.begin {
                for await _ in stream {}
                ended.wrappingAdd(1, ordering: .relaxed)
            }
        }
        let before = ended.load(ordering: .relaxed)
        continuation.finish()
        await tasks.finish()
        let after = ended.load(ordering: .relaxed)
        #expect([before, after] == [0, 3])
    }

    @Test("the end of a connection without requests waits for nothing")
    func none() async {
        await DirectTasks().finish()
    }

    @Test("cancellation reaches tasks that run and those that begin later")
    func cancel() async {
        let tasks = DirectTasks()
        let cancelled = Atomic(0)
        let begin: () -> Void = {
            tasks.begin {
                // Ends with the task.
                for await _ in AsyncStream<Void>.makeStream().stream {}
                if Task.isCancelled { cancelled.wrappingAdd(1, ordering: .relaxed) }
            }
        }
        begin()
        tasks.cancel()
        begin()
        await tasks.finish()
        let count = cancelled.load(ordering: .relaxed)
        #expect(count == 2)
    }
}
