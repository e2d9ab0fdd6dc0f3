import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// Files of other servers as sources (docs/image-options.md, section 12).
@Suite struct RemoteImagesTests {
    private let fetcher = StubFetcher()
    private let derivatives = WatchedDerivatives()

    private func images(
        limit: Int64 = 100,
        memory: ServedMemory = ServedMemory(limit: 1000),
        derivatives: WatchedDerivatives? = nil
    ) -> RemoteImages {
        RemoteImages(
            fetchers: Fetchers(fetcher),
            derivatives: derivatives ?? self.derivatives,
            types: FixedTypes(),
            limit: limit,
            memory: memory
        )
    }

    private func text(_ images: RemoteImages, _ url: String = "https://example.com/a.png") async throws -> String {
        let (_, file) = try await images.origin(of: RemoteURL(url), for: nil)
        return String(buffer: try await file.blob.read(at: 0, count: Int(file.blob.size)))
    }

    @Test("a file is fetched in pieces, and served as the server called it")
    func fetched() async throws {
        let (origin, file) = try await images().origin(of: RemoteURL("https://example.com/a.png"), for: nil)
        #expect(file.mediaType == .png)
        #expect(try await file.blob.read(at: 0, count: 100) == ByteBuffer(string: "some bytes"))
        #expect(origin.size == 10)
        #expect(origin.mediaType == .png)
        #expect(try await origin.open().read(at: 0, count: 100) == ByteBuffer(string: "some bytes"))
        #expect(fetcher.urls == ["https://example.com/a.png"])
    }

    @Test("a file of which the server says nothing is served as bytes")
    func untyped() async throws {
        fetcher.answer(["bytes"], as: nil)
        let (_, file) = try await images().origin(of: RemoteURL("https://example.com/a"), for: nil)
        #expect(file.mediaType == .octetStream)
    }

    @Test("what is made of a file is told apart by its address, and by its bytes")
    func version() async throws {
        let first = try await images().origin(of: RemoteURL("https://example.com/a.png"), for: nil).0
        #expect(first.version == StoredDerivative.tag(of: ByteBuffer(string: "some bytes")))
        let same = try await images().origin(of: RemoteURL("https://example.com/b.png"), for: nil).0
        #expect(same.source != first.source)
        #expect(same.version == first.version)
        fetcher.answer(["other bytes"], as: .png)
        let other = try await images().origin(of: RemoteURL("https://example.com/c.png"), for: nil).0
        #expect(other.version != first.version)
    }

    @Test("a file that many want at the same time is fetched once")
    func once() async throws {
        let (begun, mayEnd) = fetcher.hold()
        let images = images()
        let clients = (0..<5).map { _ in Task.immediate { try await text(images) } }
        await begun.wait()
        mayEnd.open()
        for client in clients { #expect(try await client.value == "some bytes") }
        #expect(fetcher.urls.count == 1)
    }

    @Test("a file is kept, and not fetched again by a server that was started later")
    func kept() async throws {
        let images = images()
        #expect(try await text(images) == "some bytes")
        #expect(await derivatives.next() != nil)
        #expect(try await text(images) == "some bytes")
        #expect(try await text(self.images()) == "some bytes")
        #expect(fetcher.urls.count == 1)
    }

    @Test("a file that was stored after a cache miss is not fetched again")
    func lookedTooEarly() async throws {
        _ = try await text(images())
        derivatives.missNext()
        // By another server, so that no flight of the first one can help.
        #expect(try await text(images()) == "some bytes")
        #expect(fetcher.urls.count == 1)
    }

    @Test("what is kept has the same version as what was fetched")
    func sameVersion() async throws {
        let images = images()
        let url = try RemoteURL("https://example.com/a.png")
        let fetched = try await images.origin(of: url, for: nil).0
        _ = await derivatives.next()
        let kept = try await images.origin(of: url, for: nil).0
        #expect(kept.version == fetched.version)
        #expect(kept.mediaType == fetched.mediaType)
        #expect(fetcher.urls.count == 1)
    }

    @Test("another address is fetched")
    func otherAddress() async throws {
        let images = images()
        _ = try await text(images)
        _ = await derivatives.next()
        _ = try await text(images, "https://example.com/b.png")
        #expect(fetcher.urls == ["https://example.com/a.png", "https://example.com/b.png"])
    }

    @Test("as many bytes as the limit are taken")
    func exact() async throws {
        #expect(try await text(images(limit: 10)) == "some bytes")
    }

    @Test("one byte more than the limit ends the fetch, and nothing is kept")
    func tooLarge() async throws {
        let error = await #expect(throws: ServiceError.self) { try await text(images(limit: 9)) }
        #expect(error?.code == .imageTooLarge)
        #expect(error?.message.contains("9 bytes") == true)
        #expect(error?.message.contains("(images.maxSourceSize)") == true)
        #expect(derivatives.count == 0)
    }

    @Test("files of all apps that wait for the disk take memory, and one that finds too little is refused")
    func waiting() async throws {
        let memory = ServedMemory(limit: 19)
        let (reached, mayGoOn) = derivatives.holdStores()
        let first = Task.immediate { try await text(images(memory: memory)) }
        await reached.wait()
        await expectFailure(.overloaded) { try await text(images(memory: memory), "https://example.com/b.png") }
        mayGoOn.open()
        #expect(try await first.value == "some bytes")
    }

    @Test("a file that is kept takes no memory any more, nor does one that was refused")
    func memoryGivenBack() async throws {
        let images = images(memory: ServedMemory(limit: 10))
        #expect(try await text(images) == "some bytes")
        fetcher.answer(["more than ", "ten bytes"], as: .png)
        await expectFailure(.overloaded) { try await text(images, "https://example.com/b.png") }
        fetcher.answer(["ten", " bytes."], as: .png)
        #expect(try await text(images, "https://example.com/c.png") == "ten bytes.")
    }

    @Test("a file that cannot be stored takes memory for as long as a client reads it")
    func notKept() async throws {
        let images = images(memory: ServedMemory(limit: 10), derivatives: WatchedDerivatives(bound: 0))
        let file = try await images.origin(of: RemoteURL("https://example.com/a.png"), for: nil).1
        await expectFailure(.overloaded) { try await text(images, "https://example.com/b.png") }
        #expect(try await file.blob.read(at: 0, count: 100) == ByteBuffer(string: "some bytes"))
    }

    @Test("a fetch that fails is not remembered")
    func failure() async throws {
        let images = images()
        fetcher.fail(with: Broken())
        await #expect(throws: Broken.self) { try await text(images) }
        fetcher.answer(["later"], as: .png)
        #expect(try await text(images) == "later")
    }

    @Test("when all clients leave, the fetch stops")
    func left() async throws {
        let begun = fetcher.hold().begun
        let images = images()
        let client = Task.immediate { try await text(images) }
        await begun.wait()
        client.cancel()
        await #expect(throws: CancellationError.self) { try await client.value }
        #expect(derivatives.count == 0)
    }
}

/// Another server that answers what a test says, in pieces.
private final class StubFetcher: Fetcher {
    private struct State {
        var pieces = ["some ", "bytes"]
        var mediaType: MediaType? = .png
        var failure: (any Error)?
        var hold: (begun: Gate, mayEnd: Gate)?
        var urls: [String] = []
    }

    private let state = Mutex(State())

    /// What was fetched, in this order.
    var urls: [String] { state.withLock(\.urls) }

    /// Says what is answered from now on.
    func answer(_ pieces: [String], as mediaType: MediaType?) {
        state.withLock { state in
            state.pieces = pieces
            state.mediaType = mediaType
            state.failure = nil
        }
    }

    /// Says what fetches throw from now on.
    func fail(with failure: any Error) {
        state.withLock { $0.failure = failure }
    }

    /// Holds fetches from now on: each says that it has begun, and ends when it may.
    func hold() -> (begun: Gate, mayEnd: Gate) {
        let hold = (begun: Gate(), mayEnd: Gate())
        state.withLock { $0.hold = hold }
        return hold
    }

    func fetch(
        _ url: RemoteURL,
        into take: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) async throws -> FetchedHead {
        let (pieces, mediaType, failure, hold) = state.withLock { state in
            state.urls.append(url.description)
            return (state.pieces, state.mediaType, state.failure, state.hold)
        }
        hold?.begun.open()
        await hold?.mayEnd.wait()
        try Task.checkCancellation()
        if let failure { throw failure }
        for piece in pieces { try await take(ByteBuffer(string: piece)) }
        return FetchedHead(mediaType: mediaType)
    }
}
