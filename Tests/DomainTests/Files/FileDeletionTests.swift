import NIOCore
import Support
import Testing

@testable import Domain

/// What the worker of the deletion queue removes, and when.
@Suite struct FileDeletionTests {
    private let fixture: DeletionFixture

    init() throws {
        fixture = try DeletionFixture()
    }

    @Test("only the master key deletes a file; its bytes and derivatives go behind the answer")
    func delete() async throws {
        let records = try await fixture.insert(2)
        let server = fixture.server()
        let command = ObjectCommand(.file, .delete([records[0].id], where: nil))
        await expectFailure(.forbidden) { try await server.objects.perform(command, as: fixture.uploads.people.guest) }
        #expect(await server.deletions.drain())
        #expect(fixture.counts == [2, 0, 2, 2])
        try await fixture.delete([records[0]], on: server)
        #expect(fixture.counts == [1, 1, 2, 2])
        #expect(await server.deletions.drain())
        #expect(fixture.counts == [1, 0, 1, 1])
        #expect(try await fixture.blobs.open(records[1].key) != nil)
        #expect(fixture.log.all == [])
    }

    @Test("a deleted file is not found any more, whatever downloads kept of it and however long its bytes stay")
    func served() async throws {
        let record = try await fixture.insert(1)[0]
        let server = fixture.server()
        let file = try #require(try await server.files.find(record.key))
        _ = try await server.files.openShared(file)
        fixture.blobs.failRemovals(of: record.key)
        try await fixture.delete([record], on: server)
        #expect(try await server.files.find(record.key) == nil)
        #expect(await server.deletions.drain() == false)
        #expect(try await server.files.find(record.key) == nil)
    }

    @Test("a server that dies behind any step leaves what the next one removes", arguments: DeathAfter.allCases)
    func death(after death: DeathAfter) async throws {
        let records = try await fixture.insert(3)
        try await fixture.delete(Array(records[..<2]), on: fixture.server())
        let dying = fixture.server(
            on: HookedStore.dying(after: death, on: fixture.store),
            DyingBlobStore(base: fixture.blobs, death: death)
        )
        #expect(await dying.deletions.drain() == false)
        #expect(fixture.store.count(of: .deletion) == (death == .rows ? 0 : 2))
        #expect(fixture.blobs.count == (death == .transaction ? 3 : 1))
        #expect(await fixture.server().deletions.drain())
        #expect(fixture.counts == [1, 0, 1, 1])
        #expect(try await fixture.blobs.open(records[2].key) != nil)
    }

    @Test("what fails is tried again and keeps nothing else; the log has one line with the cause, and one at the end")
    func failure() async throws {
        let records = try await fixture.insert(200)
        let server = fixture.server()
        let stubborn = [records[0], records[70], records[199]]
        for record in stubborn { fixture.blobs.failRemovals(of: record.key, times: 3) }
        try await fixture.delete(records, on: server)
        var progress = DeletionProgress()
        for attempt in 1...3 {
            let isEmpty = await server.deletions.drain {
                progress.removed += $0.removed
                progress.failed += $0.failed
                progress.waiting = $0.waiting
            }
            #expect(!isEmpty)
            #expect(progress == DeletionProgress(removed: 197, failed: 3 * attempt, waiting: 3))
            // Without a new start only rows that came since are tried.
            #expect(await server.deletions.drain() == false)
            server.deletions.startOver()
        }
        #expect(fixture.log.all.count == 1)
        #expect(fixture.log.all[0].hasPrefix("error The bytes of a deleted file cannot be removed"))
        #expect(fixture.log.all[0].hasSuffix("Broken()"))
        #expect(await server.deletions.drain())
        #expect(fixture.counts == [0, 0, 0, 0])
        #expect(fixture.log.all.count == 2)
    }

    @Test("the worker removes what was queued before it began, what comes later, and tries again by itself")
    func worker() async throws {
        let records = try await fixture.insert(3)
        try await fixture.delete([records[0]], on: fixture.server())
        let server = fixture.server()
        fixture.blobs.failRemovals(of: records[1].key, times: 5)
        let (progress, sink) = AsyncStream.makeStream(of: DeletionProgress.self)
        let worker = Task { await server.deletions.run { sink.yield($0) } }
        var removed = 0
        for await report in progress {
            removed += report.removed
            if removed == 1, report.waiting == 0 { break }
        }
        try await fixture.delete([records[1], records[2]], on: server)
        for await report in progress {
            removed += report.removed
            if removed == 3, report.waiting == 0 { break }
        }
        #expect(fixture.counts == [0, 0, 0, 0])
        worker.cancel()
        await worker.value
    }

    @Test("a thousand deletions in a batch are removed some at a time")
    func many() async throws {
        let records = try await fixture.insert(1000)
        let server = fixture.server()
        let commands = records.map { ObjectCommand(.file, .delete([$0.id], where: nil)) }
        var batch = ObjectBatch()
        let replies = try await server.objects.perform(commands.map { .success($0) }, in: &batch, as: fixture.master)
        #expect(replies.allSatisfy { (try? $0.get()) != nil })
        #expect(await server.deletions.drain())
        #expect(fixture.counts == [0, 0, 0, 0])
        #expect(fixture.blobs.removalSizes.max() == FileDeletions.batchSize)
        #expect(fixture.blobs.removalSizes.reduce(0, +) == 1000)
    }

    @Test("a client that leaves behind its deletion takes nothing back")
    func cancelled() async throws {
        let record = try await fixture.insert(1)[0]
        let server = fixture.server()
        let client = Task {
            while !Task.isCancelled { await Task.yield() }
            try? await fixture.delete([record], on: server)
        }
        client.cancel()
        await client.value
        #expect(fixture.counts == [0, 1, 1, 1])
        #expect(await server.deletions.drain())
        #expect(fixture.counts == [0, 0, 0, 0])
    }

    @Test("pauses double up to a bound, and begin anew")
    func backoff() {
        var backoff = Backoff(first: .seconds(1), max: .seconds(5))
        #expect((0..<5).map { _ in backoff.next() } == [1, 2, 4, 5, 5].map(Duration.seconds))
        backoff.reset()
        #expect(backoff.next() == .seconds(1))
    }
}
