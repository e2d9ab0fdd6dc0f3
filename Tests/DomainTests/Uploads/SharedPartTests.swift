import NIOCore
import Support
import Testing

@testable import Domain

/// Parts and blocks of one upload that come to several servers.
@Suite struct SharedPartTests {
    private let fixture: SharedUploadFixture
    private let servers: [UploadService]

    init() throws {
        let fixture = try SharedUploadFixture()
        self.fixture = fixture
        servers = (1...3).map { fixture.server($0) }
    }

    private typealias Claims = [(number: Int, tag: String)]

    @Test(
        "parts that arrive at the same time on several servers never have one place",
        arguments: [[1, 2, 3, 4], [4, 3, 2, 1], [2, 4, 1, 3]],
        [["aaaa", "bbbb", "cccc", "d"], ["aa", "bbbb", "c", "ddd"], ["aaaa", "bb", "cccccccc", "d"]]
    )
    func parallel(order: [Int], texts: [String]) async throws {
        let (upload, token) = try await fixture.begin(on: servers[0])
        // All requests have begun before the first one gets its bytes.
        let gate = Gate()
        var running: [(Int, Task<UploadHandle.PartReceipt, any Error>)] = []
        for number in order {
            let (begun, server) = (Gate(), servers[number % 3])
            let text = texts[number - 1]
            running.append(
                (number, Task { try await server.part(number, text, token, begun: begun, after: gate) })
            )
            await begun.wait()
        }
        gate.open()
        var claims: Claims = []
        for (number, task) in running { claims.append((number, try await task.value.tag)) }
        let rows = try await fixture.store.read { try $0.find(.parts(of: upload.id)).compactMap(StoredPart.init) }
        let places = rows.compactMap(\.part).map { $0.offset..<$0.end }.sorted { $0.lowerBound < $1.lowerBound }
        #expect(zip(places, places.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
        _ = try await servers[1].finish(claims.sorted { $0.number < $1.number }, token)
        #expect(try await fixture.text(of: upload.key) == texts.joined())
        fixture.expectNothingStaged()
    }

    @Test(
        "of two requests with one part on two servers the newer counts, whichever ends first",
        arguments: [true, false]
    )
    func again(olderEndsFirst: Bool) async throws {
        let (upload, token) = try await fixture.begin(on: servers[0])
        let gates = [Gate(), Gate()]
        var tasks: [Task<UploadHandle.PartReceipt, any Error>] = []
        for (index, text) in ["old!", "new!"].enumerated() {
            let (begun, gate, server) = (Gate(), gates[index], servers[index])
            tasks.append(Task { try await server.part(1, text, token, begun: begun, after: gate) })
            await begun.wait()
        }
        let order = olderEndsFirst ? [0, 1] : [1, 0]
        var tag = ""
        for index in order {
            gates[index].open()
            if index == 0 {
                await expectRefusal(.superseded) { try await tasks[0].value }
            } else {
                tag = try await tasks[1].value.tag
            }
        }
        _ = try await servers[2].finish([(1, tag)], token)
        #expect(try await fixture.text(of: upload.key) == "new!")
        fixture.expectNothingStaged()
    }

    @Test("the recorded bytes of a part stay while another server sends it again, and after it failed")
    func recordedStays() async throws {
        let (upload, token) = try await fixture.begin(on: servers[0])
        let tag = try await servers[0].part(1, "kept", token).tag
        // It ends in the middle, twice, also with bytes that the bucket gets later.
        for server in servers[1...] {
            await expectRefusal(.checksumMismatch) {
                try await server.part(1, "lost", token, saying: [.sha1: [1]])
            }
        }
        _ = try await servers[2].finish([(1, tag)], token)
        #expect(try await fixture.text(of: upload.key) == "kept")
    }

    @Test("a part that is sent again and again needs two slots")
    func slots() async throws {
        let (upload, token) = try await fixture.begin(on: servers[0])
        var tag = ""
        for number in 0..<20 { tag = try await servers[number % 3].part(1, "text\(number % 10)", token).tag }
        let row = try await fixture.store.read { try $0.find(.parts(of: upload.id)).compactMap(StoredPart.init)[0] }
        #expect(Set([row.sharing?.home.offset, row.sharing?.spare?.offset]).count == 2)
        let end = try await fixture.store.read { try $0.upload(upload.id)?.sharing?.displacedEnd }
        #expect(end == SlotBounds(upload, within: servers[0].limits).file + 5)
        _ = try await servers[0].finish([(1, tag)], token)
        #expect(try await fixture.text(of: upload.key) == "text9")
    }

    @Test(
        "parts that have more bytes than the file together are refused, whichever places they have",
        arguments: [
            ([(1, 4), (2, 4)], (3, 3)), ([(3, 2), (1, 2)], (2, 7)), ([(2, 4), (1, 5)], (3, 2)),
            ([(9, 4), (1, 4)], (2, 3)), ([(1, 4), (2, 4)], (2, 7)),
        ] as [([(Int, Int)], (Int, Int))]
    )
    func capacity(before: [(Int, Int)], refused: (Int, Int)) async throws {
        let (upload, token) = try await fixture.begin(on: servers[0], size: 10)
        func text(_ size: Int) -> String { String(repeating: "x", count: size) }
        for (index, (number, size)) in before.enumerated() {
            _ = try await servers[index].part(number, text(size), token)
        }
        await expectRefusal(.payloadTooLarge) { try await servers[2].part(refused.0, text(refused.1), token) }
        // One byte less fits.
        _ = try await servers[2].part(refused.0, text(refused.1 - 1), token)
        let found = try #require(try await servers[0].records.find(id: upload.id))
        #expect(ActiveUpload(found).progress.received == 10)
    }

    @Test("a request with a part at its place reads no other parts")
    func unread() async throws {
        let (upload, token) = try await fixture.begin(on: servers[0], size: 100)
        for number in 1...3 { _ = try await servers[number - 1].part(number, "aaaa", token) }
        try await servers[0].using(token, readingParts: false) { handle in
            let known = handle.active.with(\.layout.parts)
            #expect(known.isEmpty)
            _ = try await handle.receivePart(4, size: 4, expecting: [:]) { sink in
                try await sink.append(ByteBuffer(string: "aaaa"))
            }
            let after = handle.active.with(\.layout.parts)
            #expect(after.keys.sorted() == [4])
        }
        let records = servers[0].records
        #expect(try await records.find(id: upload.id, reading: .number(2))?.parts.map(\.number) == [2])
        #expect(try await records.find(id: upload.id, reading: .number(9))?.parts.count == 0)
        #expect(try await records.find(token, reading: .none)?.parts.count == 0)
        #expect(try await records.find(token)?.parts.count == 4)
    }

    @Test("a slot that a dead server reserved is used by the next request with the part")
    func deadReservation() async throws {
        let (upload, token) = try await fixture.begin(on: servers[0])
        _ = try await servers[0].records.begin(
            .part(1, size: 4),
            of: upload.id,
            row: nil,
            breaking: nil,
            within: servers[0].limits
        )
        let first = try await servers[1].part(1, "aaaa", token).tag
        let second = try await servers[2].part(2, "b", token).tag
        _ = try await servers[1].finish([(1, first), (2, second)], token)
        #expect(try await fixture.text(of: upload.key) == "aaaab")
        fixture.expectNothingStaged()
    }

    @Test(
        "a server that is alone writes no reservations, and makes no further transactions, with either database",
        arguments: [true, false]
    )
    func alone(hasSharedStore: Bool) async throws {
        let store = MemoryObjectStore(isShared: hasSharedStore)
        let fixture = try UploadFixture(store: store)
        let service = fixture.service()
        let token = try await fixture.token(on: service)
        let commits = Counter()
        fixture.store.changes.subscribe(to: [ChangeFilter(nil)]) { _ in _ = commits.next() }
        _ = try await service.part(1, "aaaa", token)
        // The upload starts, and its part is recorded.
        #expect(commits.value == 2)
        let rows = try await fixture.store.read { reader in
            try reader.rows(ObjectQuery(.uploadPart)) + reader.rows(ObjectQuery(.upload))
        }
        for row in rows { #expect(try row.object().fields["_shared"] == nil) }
    }

    @Test(
        "chunks of blocks come to any server, and the blocks are listed in any order",
        arguments: [[0, 1, 2], [2, 0, 1]]
    )
    func blocks(order: [Int]) async throws {
        let (upload, token) = try await fixture.begin(on: servers[0])
        let blocks = [["aaa", "bb"], ["ccccc"], ["d", "d"]]
        var contexts: [String] = []
        for (index, chunks) in blocks.enumerated() {
            let size = Int64(chunks.joined().utf8.count)
            var receipt = try await servers[index % 3].beginBlock(of: size, chunks[0], token)
            for chunk in chunks.dropFirst() {
                let server = servers[(index + 1) % 3]
                receipt = try await server.chunk(chunk, receipt.context, at: receipt.offset, token)
            }
            contexts.append(receipt.context)
        }
        _ = try await servers[1].makeFile(order.map { contexts[$0] }, size: 12, token)
        #expect(try await fixture.text(of: upload.key) == order.map { blocks[$0].joined() }.joined())
        fixture.expectNothingStaged()
    }

    @Test("the slot of a block without an acknowledged byte is used again")
    func releasedBlock() async throws {
        let (upload, token) = try await fixture.begin(on: servers[0])
        await expectRefusal(.badRequest) { try await servers[0].beginBlock(of: 3, "", token) }
        #expect(fixture.store.count(of: .uploadPart) == 0)
        let context = try await servers[1].block(["abc"], token)
        #expect(try await fixture.store.read { try $0.upload(upload.id)?.sharing?.blocksEnd } == UploadHandle.blockSize)
        _ = try await servers[2].makeFile([context], size: 3, token)
        #expect(try await fixture.text(of: upload.key) == "abc")
        fixture.expectNothingStaged()
    }

    @Test("every server counts the chunks of a block once, with or without a watcher", arguments: [true, false])
    func progressOfBlocks(isWatched: Bool) async throws {
        let (_, token) = try await fixture.begin(on: servers[0], size: 8)
        // An open progress stream keeps what its server knows of the upload.
        let watchers = isWatched ? try servers.map { ($0, try $0.beginProgressStream(ofGroup: .guests)) } : []
        let watching = watchers.map { server, slot in
            Task { try await server.streamProgress(token, in: slot) { _ in } }
        }
        func expectReceived(_ bytes: Int64, sourceLocation: SourceLocation = #_sourceLocation) async throws {
            for server in servers {
                let progress = try await server.using(token) { $0.progress }
                #expect(progress.received == bytes && progress.state == "receiving", sourceLocation: sourceLocation)
            }
        }
        let first = try await servers[0].beginBlock(of: 6, "abc", token)
        try await expectReceived(3)
        let second = try await servers[1].chunk("de", first.context, at: 3, token)
        try await expectReceived(5)
        // The client did not get the last response.
        _ = try await servers[2].chunk("d", first.context, at: 3, token)
        try await expectReceived(4)
        _ = try await servers[0].chunk("f", second.context, at: 5, token)
        try await expectReceived(6)
        _ = try await servers[1].beginBlock(of: 2, "g", token)
        try await expectReceived(7)
        for (_, slot) in watchers { slot.leave() }
        for task in watching { try await task.value }
    }

    @Test("a chunk that another server overtook is not acknowledged")
    func overtakenChunk() async throws {
        let (_, token) = try await fixture.begin(on: servers[0])
        let first = try await servers[0].beginBlock(of: 6, "abc", token)
        let (begun, gate) = (Gate(), Gate())
        let late = Task { [servers] in
            try await servers[1].using(token) { upload in
                try await upload.continueBlock(first.context, at: 3) { sink in
                    begun.open()
                    await gate.wait()
                    try await sink.append(ByteBuffer(string: "x"))
                }
            }
        }
        await begun.wait()
        let second = try await servers[2].chunk("de", first.context, at: 3, token)
        gate.open()
        await expectRefusal(.superseded) { try await late.value }
        let last = try await servers[0].chunk("f", second.context, at: 5, token)
        let record = try await servers[1].makeFile([last.context], size: 6, token)
        #expect(try await fixture.text(of: record.key) == "abcdef")
    }
}
