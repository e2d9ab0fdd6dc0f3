import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// One app in memory whose files were on another server before.
struct MirrorFixture {
    let uploads: UploadFixture
    let origin = ScriptedOrigin()
    let outcomes = Outcomes()
    let service: UploadService
    let objects: ObjectService
    let key: FileKey

    init(_ limits: UploadLimits = UploadLimits(partSize: 4)) throws {
        uploads = try UploadFixture()
        service = uploads.service(limits)
        key = try #require(FileKey("old/photo.txt"))
        let settings = uploads.people.objects.settings.copy(hasMirror: true)
        objects = ObjectService(store: uploads.store, settings: settings)
    }

    var master: Caller { uploads.people.master }

    /// A mirror that remembers no key yet.
    func mirror(_ settings: MirrorSettings = MirrorSettings()) -> MirrorService {
        MirrorService(
            origin: "https://old.example.com/files",
            settings: settings,
            uploads: service,
            fetcher: origin,
            report: { [outcomes] in outcomes.add($0) },
            clock: { [clock = uploads.clock] in clock.now }
        )
    }

    /// Creates a record as an import does before it copies the bytes.
    @discardableResult
    func importRecord(_ fields: String, key: String? = nil, as caller: Caller? = nil) async throws -> ObjectID {
        let key = key ?? self.key.description
        let body = try uploads.people.json(#"{"key":"\#(key)","name":"cat.txt",\#(fields)}"#)
        let command = ObjectCommand(.file, .create(try ObjectChange(file: body), returnsObject: false))
        return try #require(try await objects.perform(command, as: caller ?? master).created?.id)
    }

    func delete(_ id: ObjectID) async throws {
        _ = try await objects.perform(ObjectCommand(.file, .delete([id], where: nil)), as: master)
    }

    /// The record of the key as it is stored.
    func record() async throws -> StoredObject? {
        try await uploads.store.read { [key] in try $0.record(with: key) }
    }

    /// Whether neither bytes nor a file are left.
    func expectNothing(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        #expect(try await uploads.text(of: key) == nil, sourceLocation: sourceLocation)
        #expect(uploads.staging.count == 0, sourceLocation: sourceLocation)
        #expect(try await uploads.usage() == Usage(), sourceLocation: sourceLocation)
    }
}

/// The results that a mirror reported.
final class Outcomes: Sendable {
    private let list = Mutex<[MirrorService.Outcome]>([])

    var all: [MirrorService.Outcome] { list.withLock(\.self) }

    func add(_ outcome: MirrorService.Outcome) { list.withLock { $0.append(outcome) } }
}

/// The server of the old file domain.
final class ScriptedOrigin: Fetcher {
    private struct Script {
        var text = "old bytes"
        var head = FetchedHead(mediaType: MediaType("text/x-old"))
        var failure: (any Error)?
        var during: (@Sendable () async throws -> Void)?
        var requests: [String] = []
    }

    private let script = Mutex(Script())

    /// The URLs that were fetched.
    var requests: [String] { script.withLock(\.requests) }

    /// Answers with bytes from now on.
    func serve(_ text: String, _ head: FetchedHead = FetchedHead(mediaType: MediaType("text/x-old"))) {
        script.withLock {
            $0.text = text
            $0.head = head
            $0.failure = nil
        }
    }

    /// Fails from now on.
    func fail(_ error: any Error) { script.withLock { $0.failure = error } }

    /// Does something in the middle of each fetch.
    func during(_ body: @escaping @Sendable () async throws -> Void) { script.withLock { $0.during = body } }

    func fetch(
        _ url: RemoteURL,
        into take: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) async throws -> FetchedHead {
        let script = script.withLock { script in
            script.requests.append(url.description)
            return script
        }
        if let failure = script.failure { throw failure }
        try await take(ByteBuffer(string: String(script.text.prefix(3))))
        try await script.during?()
        try await take(ByteBuffer(string: String(script.text.dropFirst(3))))
        return script.head
    }
}
