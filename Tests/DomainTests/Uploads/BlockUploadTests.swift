import Logging
import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// Uploads in blocks whose order their contexts tell.
@Suite struct BlockUploadTests {
    private let fixture: UploadFixture
    private let service: UploadService

    init() throws {
        fixture = try UploadFixture()
        service = fixture.service()
    }

    @Test("blocks of any number of chunks make the file in the order of the list", arguments: [[0, 1, 2], [2, 0, 1]])
    func order(indexes: [Int]) async throws {
        let token = try await fixture.token(on: service, size: 9)
        let blocks = [["aa", "a", "a"], ["bbbb"], ["c"]]
        var contexts: [String] = []
        for block in blocks { contexts.append(try await service.block(block, token)) }
        let record = try await service.makeFile(indexes.map { contexts[$0] }, size: 9, token)
        #expect(try await fixture.text(of: record.key) == indexes.map { blocks[$0].joined() }.joined())
        #expect(fixture.staging.count == 0)
    }

    @Test("no blocks make the empty file")
    func empty() async throws {
        let token = try await fixture.token(on: service, size: 0)
        let record = try await service.makeFile([], size: 0, token)
        #expect(record.facts.size == 0)
    }

    @Test("making the file again gives the same file")
    func again() async throws {
        let token = try await fixture.token(on: service)
        let context = try await service.block(["aaaa"], token)
        let first = try await service.makeFile([context], size: 4, token)
        let second = try await service.makeFile([context], size: 4, token)
        #expect(second == first)
    }

    @Test("no block begins in a file whose commit stayed undecided")
    func undecided() async throws {
        let store = LateFailingStore(fixture.store)
        let service = fixture.service(through: store)
        let token = try await fixture.token(on: service)
        let context = try await service.block(["aaaa"], token)
        store.failWrites(2)
        await expectFailure(.storageFailing) { try await service.makeFile([context], size: 4, token) }
        await expectFailure(.uploadConflict) { try await service.beginBlock(of: 4, "bbbb", token) }
        let record = try await service.makeFile([context], size: 4, token)
        #expect(try await fixture.text(of: record.key) == "aaaa")
    }

    @Test("a receipt tells how far the block came, and the digests of its chunk alone")
    func receipt() async throws {
        let token = try await fixture.token(on: service)
        let first = try await service.beginBlock(of: 5, "xy", token)
        let second = try await service.chunk("abc", first.context, at: 2, token)
        #expect(first.offset == 2)
        #expect(second.offset == 5)
        #expect(second.crc32.hexadecimal == "352441c2")
        #expect(second.sha1.hexadecimal == "a9993e364706816aba3e25717850c26c9cd0d89d")
    }

    @Test("no block has a size of nothing or of over 4 MiB", arguments: [0, -1, 4 << 20 + 1] as [Int64])
    func size(size: Int64) async throws {
        let token = try await fixture.token(on: service)
        await expectFailure(.badRequest) { try await service.beginBlock(of: size, "a", token) }
    }

    @Test("a chunk has at least one byte")
    func emptyChunk() async throws {
        let token = try await fixture.token(on: service)
        await expectFailure(.badRequest) { try await service.beginBlock(of: 3, "", token) }
        let context = try await service.block(["abc"], token)
        let record = try await service.makeFile([context], size: 3, token)
        #expect(try await fixture.text(of: record.key) == "abc")
    }

    @Test("a chunk that is longer than the rest of its block is refused")
    func tooLong() async throws {
        let token = try await fixture.token(on: service)
        let first = try await service.beginBlock(of: 3, "ab", token)
        await expectFailure(.badRequest) { try await service.chunk("cd", first.context, at: 2, token) }
        let second = try await service.chunk("c", first.context, at: 2, token)
        #expect(second.offset == 3)
    }

    @Test("a chunk goes on where its context says", arguments: [0, 1, 3] as [Int64])
    func offset(offset: Int64) async throws {
        let token = try await fixture.token(on: service)
        let first = try await service.beginBlock(of: 4, "ab", token)
        await expectFailure(.invalidContext) { try await service.chunk("c", first.context, at: offset, token) }
    }

    @Test("a chunk is sent again when its answer was lost, also the last one")
    func lostAnswer() async throws {
        let token = try await fixture.token(on: service)
        let first = try await service.beginBlock(of: 4, "aa", token)
        _ = try await service.chunk("bb", first.context, at: 2, token)
        let again = try await service.chunk("bb", first.context, at: 2, token)
        let record = try await service.makeFile([again.context], size: 4, token)
        #expect(try await fixture.text(of: record.key) == "aabb")
    }

    @Test("a chunk of a whole block does not come again with other bytes")
    func otherBytes() async throws {
        let token = try await fixture.token(on: service)
        let first = try await service.beginBlock(of: 4, "aa", token)
        let second = try await service.chunk("bb", first.context, at: 2, token)
        await expectFailure(.invalidContext) { try await service.chunk("xx", first.context, at: 2, token) }
        let record = try await service.makeFile([second.context], size: 4, token)
        #expect(try await fixture.text(of: record.key) == "aabb")
        #expect(fixture.staging.count == 0)
    }

    @Test("nothing goes on behind a whole block")
    func whole() async throws {
        let token = try await fixture.token(on: service)
        let context = try await service.block(["aaaa"], token)
        await expectFailure(.invalidContext) { try await service.chunk("b", context, at: 4, token) }
    }

    @Test("a context of another upload, or of none, is refused")
    func foreign() async throws {
        let token = try await fixture.token(on: service)
        let other = try await fixture.token(on: service)
        let first = try await service.beginBlock(of: 4, "aa", other)
        let context = try await service.block(["aaaa"], other)
        for (text, offset) in [(first.context, 2), ("1.0.4.2.AAAA", 2), ("", 0)] as [(String, Int64)] {
            await expectFailure(.invalidContext) { try await service.chunk("bb", text, at: offset, token) }
        }
        await expectFailure(.invalidContext) { try await service.makeFile([context], size: 4, token) }
    }

    @Test("a block that is not whole makes no file")
    func unfinished() async throws {
        let token = try await fixture.token(on: service)
        let first = try await service.beginBlock(of: 4, "aa", token)
        await expectFailure(.invalidContext) { try await service.makeFile([first.context], size: 2, token) }
    }

    @Test("a block counts once in the list")
    func twice() async throws {
        let token = try await fixture.token(on: service)
        let context = try await service.block(["aaaa"], token)
        await expectFailure(.invalidContext) { try await service.makeFile([context, context], size: 8, token) }
    }

    @Test("a size that is not that of the blocks is refused")
    func wrongSize() async throws {
        let token = try await fixture.token(on: service)
        let context = try await service.block(["aaaa"], token)
        await expectFailure(.badRequest) { try await service.makeFile([context], size: 5, token) }
    }

    @Test("blocks go on after the server was started again")
    func restart() async throws {
        let token = try await fixture.token(on: service)
        let whole = try await service.block(["aaaa"], token)
        let first = try await service.beginBlock(of: 4, "bb", token)
        let next = fixture.service()
        let second = try await next.chunk("bb", first.context, at: 2, token)
        let third = try await next.block(["c"], token)
        let record = try await next.makeFile([whole, second.context, third], size: 9, token)
        #expect(try await fixture.text(of: record.key) == "aaaabbbbc")
    }

    @Test("an unfinished block is sent again after the machine was started again")
    func reboot() async throws {
        let token = try await fixture.token(on: service)
        let first = try await service.beginBlock(of: 4, "aa", token)
        let next = fixture.service(on: MemoryStagingArea(bootID: "next boot"))
        await expectFailure(.invalidContext) { try await next.chunk("aa", first.context, at: 2, token) }
        let context = try await next.block(["aaaa"], token)
        let record = try await next.makeFile([context], size: 4, token)
        #expect(record.facts.size == 4)
    }
}
