import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// Random histories of uploads on three servers, of which each can end at any moment.
///
/// What a server acknowledged is in the file, which has exactly the bytes of the client; there is one record of it, and
/// nothing staged is left in the end.
@Suite struct SharedHistoryTests {
    @Test("what was acknowledged is in the file, whichever servers took it", arguments: 1...40)
    func histories(seed: UInt64) async throws {
        let history = try UploadHistory(seed: seed)
        for _ in 0..<60 { try await history.step() }
        try await history.end()
    }
}

/// One client with some uploads, three servers, and requests that overtake each other.
private actor UploadHistory {
    private enum Kind: CaseIterable {
        case tus
        case parts
    }

    /// An upload and what the client knows of it.
    private struct Tracked {
        let kind: Kind
        let upload: StoredUpload
        let token: UploadToken
        let bytes: [UInt8]
        /// Of tus: how many bytes a server acknowledged.
        var acknowledged = 0
        /// The bytes of which the client knows only that a server has some.
        var unsure: Set<Int> = []
        /// Of parts: their tags by number.
        var tags: [Int: String] = [:]
        var isCancelled = false
        var record: ObjectID?
    }

    private let fixture: SharedUploadFixture
    private var generator: SeededGenerator
    private var servers: [(number: Int, service: UploadService)] = []
    private var lastServer = 0
    private var uploads: [Tracked] = []
    /// Requests of connections that the client gave up, with the gates that let them continue.
    private var strays: [(gate: Gate, task: Task<Void, Never>, server: Int)] = []

    private static let partSize = 5

    init(seed: UInt64) throws {
        fixture = try SharedUploadFixture(rehearsing: false)
        generator = SeededGenerator(seed: seed)
        lastServer = 3
        for number in 1...3 { servers.append((number, fixture.server(number))) }
    }

    private func start() -> (number: Int, service: UploadService) {
        lastServer += 1
        return (lastServer, fixture.server(lastServer))
    }

    private func random(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

    private var anyServer: UploadService { servers[random(0..<servers.count)].service }

    func step() async throws {
        switch random(0..<20) {
        case 0, 1: try await begin()
        case 2...9: try await send(isStray: false)
        case 10...12: try await send(isStray: true)
        case 13: try await ask()
        case 14, 15: try await finish()
        case 16: if random(0..<4) == 0 { try await cancel() }
        case 17: await releaseStray()
        case 18: if random(0..<2) == 0 { try await kill() }
        default: _ = try await anyServer.sweep()
        }
    }

    private func begin() async throws {
        guard uploads.count < 6 else { return }
        let kind = Kind.allCases[random(0..<2)]
        let count = random(1..<31)
        let bytes = (0..<count).map { _ in UInt8(random(97..<123)) }
        let size: Int64? = random(0..<2) == 0 || kind == .tus ? Int64(count) : nil
        let (upload, token) = try await fixture.begin(on: anyServer, size: size, tus: kind == .tus)
        uploads.append(Tracked(kind: kind, upload: upload, token: token, bytes: bytes))
    }

    /// The index of an upload that the client has not ended.
    private func open() -> Int? {
        let open = uploads.indices.filter { uploads[$0].record == nil && !uploads[$0].isCancelled }
        return open.isEmpty ? nil : open[random(0..<open.count)]
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Sends the next bytes; a stray request stops in the middle, with bytes that are not those of the file.
    private func send(isStray: Bool) async throws {
        guard let index = open() else { return }
        let tracked = uploads[index]
        let (server, gate) = (servers[random(0..<servers.count)], Gate())
        if tracked.kind == .tus {
            let offset = tracked.acknowledged
            let rest = tracked.bytes.count - offset
            guard rest > 0 else { return }
            let count = random(1..<rest + 1)
            guard isStray else {
                let text = UploadHistory.text(tracked.bytes[offset..<offset + count])
                return try await tolerating(index) { [token = tracked.token] in
                    let end = try await server.service.append(text, at: Int64(offset), token)
                    self.acknowledge(index, Int(end))
                }
            }
            let noise = String(repeating: "#", count: count)
            await stray(of: server.number, gate) { begun in
                _ = try await server.service.append(noise, at: Int64(offset), tracked.token, begun: begun, after: gate)
            }
        } else {
            let count = (tracked.bytes.count + UploadHistory.partSize - 1) / UploadHistory.partSize
            let number = random(1..<count + 1)
            let start = (number - 1) * UploadHistory.partSize
            let part = tracked.bytes[start..<min(start + UploadHistory.partSize, tracked.bytes.count)]
            guard isStray else {
                let text = UploadHistory.text(part)
                return try await tolerating(index) { [token = tracked.token] in
                    let tag = try await server.service.part(number, text, token).tag
                    self.acknowledge(index, number, tag)
                }
            }
            // Only before the part is acknowledged: a client does not send other bytes afterwards.
            guard tracked.tags[number] == nil else { return }
            let noise = String(repeating: "#", count: part.count)
            await stray(of: server.number, gate) { begun in
                _ = try await server.service.part(number, noise, tracked.token, begun: begun, after: gate)
            }
        }
    }

    private func acknowledge(_ index: Int, _ end: Int) { uploads[index].acknowledged = end }
    private func acknowledge(_ index: Int, _ number: Int, _ tag: String) { uploads[index].tags[number] = tag }

    /// Runs a request that a stray one can have overtaken or that can find another state than the client knows.
    private func tolerating(_ index: Int, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as ServiceError where [.superseded, .uploadConflict, .overloaded].contains(error.code) {
            guard uploads[index].kind == .tus, error.code != .overloaded else { return }
            // As a client of tus does.
            learn(index, try await anyServer.offset(uploads[index].token))
        }
    }

    /// The client learns the offset of an upload, perhaps that of a request whose answer it did not get.
    private func learn(_ index: Int, _ offset: Int64?) {
        let (before, now) = (uploads[index].acknowledged, Int(offset ?? 0))
        #expect(now >= before)
        if now > before { uploads[index].unsure.formUnion(before..<now) }
        uploads[index].acknowledged = now
    }

    /// Begins a request whose bytes arrive when its gate opens; its client knows nothing of it any more.
    private func stray(
        of server: Int,
        _ gate: Gate,
        _ body: @escaping @Sendable (Gate) async throws -> Void
    ) async {
        let begun = Gate()
        let task = Task {
            try? await body(begun)
            // It can be refused before it begins.
            begun.open()
        }
        await begun.wait()
        strays.append((gate, task, server))
    }

    private func releaseStray() async {
        guard !strays.isEmpty else { return }
        let stray = strays.remove(at: random(0..<strays.count))
        stray.gate.open()
        await stray.task.value
    }

    /// Checks that no server has forgotten what one acknowledged.
    private func ask() async throws {
        guard let index = open(), uploads[index].kind == .tus else { return }
        try await tolerating(index) {
            learn(index, try await anyServer.offset(uploads[index].token))
        }
    }

    private func finish() async throws {
        guard let index = open(), uploads[index].kind == .parts else { return }
        let tracked = uploads[index]
        let count = (tracked.bytes.count + UploadHistory.partSize - 1) / UploadHistory.partSize
        guard tracked.tags.count == count else { return }
        let claims = tracked.tags.sorted { $0.key < $1.key }.map { (number: $0.key, tag: $0.value) }
        let (first, second) = (anyServer, anyServer)
        // Two at the same time, one of which waits for the other.
        async let one = Result { try await first.finish(claims, tracked.token) }
        async let two = Result { try await second.finish(claims, tracked.token) }
        var records: Set<ObjectID> = []
        for result in [await one, await two] {
            do {
                records.insert(try result.get().id)
            } catch let error as ServiceError where [.superseded, .overloaded].contains(error.code) {
                // The other one took it for dead.
            }
        }
        if records.isEmpty {
            // The late blob of the first one can stand in the way of the second, which then says that it is busy. The
            // client tries again.
            records.insert(try await anyServer.finish(claims, tracked.token).id)
        }
        #expect(records == [tracked.upload.id])
        uploads[index].record = tracked.upload.id
    }

    private func cancel() async throws {
        guard let index = open() else { return }
        guard uploads[index].kind == .parts || uploads[index].acknowledged < uploads[index].bytes.count else { return }
        try await anyServer.cancel(uploads[index].token)
        uploads[index].isCancelled = true
    }

    /// Drops a server; requests that it had never end, and another one starts.
    private func kill() async throws {
        let index = random(0..<servers.count)
        let dead = servers[index].number
        for stray in strays where stray.server == dead { stray.task.cancel() }
        fixture.staging.end(dead)
        servers[index] = start()
        try await servers[index].service.recover(fixture.quiet)
        await servers[index].service.finishRecovered()
    }

    /// Lets all requests end, sends what is missing, and compares the files.
    func end() async throws {
        while !strays.isEmpty { await releaseStray() }
        for index in uploads.indices where !uploads[index].isCancelled {
            if uploads[index].kind == .tus {
                while uploads[index].acknowledged < uploads[index].bytes.count {
                    learn(index, try await anyServer.offset(uploads[index].token))
                    let (tracked, offset) = (uploads[index], uploads[index].acknowledged)
                    guard offset < tracked.bytes.count else { break }
                    let text = UploadHistory.text(tracked.bytes[offset...])
                    uploads[index].acknowledged = Int(
                        try await anyServer.append(text, at: Int64(offset), tracked.token)
                    )
                }
            } else {
                try await sendMissingParts(index)
            }
            try await compare(uploads[index])
        }
        for server in servers { _ = try await server.service.sweep() }
        try await start().service.recover(fixture.quiet)
        fixture.expectNothingStaged()
        let files = uploads.count { !$0.isCancelled }
        #expect(fixture.store.count(of: .file) == files)
        #expect(fixture.blobs.count == files)
        let usage = try await fixture.store.read { try $0.usage() }
        #expect(usage.uploads == 0 && usage.announced == 0 && usage.files == files)
    }

    private func sendMissingParts(_ index: Int) async throws {
        let tracked = uploads[index]
        guard tracked.record == nil else { return }
        var claims: [(number: Int, tag: String)] = []
        for (number, start) in zip(1..., stride(from: 0, to: tracked.bytes.count, by: UploadHistory.partSize)) {
            let end = min(start + UploadHistory.partSize, tracked.bytes.count)
            let text = UploadHistory.text(tracked.bytes[start..<end])
            let known = tracked.tags[number]
            let tag = if let known { known } else { try await anyServer.part(number, text, tracked.token).tag }
            claims.append((number, tag))
        }
        uploads[index].record = try await anyServer.finish(claims, tracked.token).id
    }

    /// Where the client is not sure, a stray request can have recorded its own bytes.
    private func compare(_ tracked: Tracked) async throws {
        let found = Array(try #require(try await fixture.text(of: tracked.upload.key)).utf8)
        #expect(found.count == tracked.bytes.count)
        for (offset, (byte, sent)) in zip(found, tracked.bytes).enumerated() where !tracked.unsure.contains(offset) {
            #expect(byte == sent, "byte \(offset)")
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
