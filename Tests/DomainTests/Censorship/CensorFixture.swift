import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// One app that censors images, in memory: what its checkers say is told by a test.
struct CensorFixture {
    let images = ImageServiceFixture()
    let checker = ScriptedChecker()
    let classifier = ScriptedClassifier()
    let webhooks = ScriptedWebhooks()
    /// The other server, which has the files that are not here.
    let origin = ScriptedOrigin()
    let remoteImages: RemoteImages
    let clock = SteppingClock()
    let known = KnownImages()
    let policy: CensorPolicy
    let queue: CensorQueue
    let service: CensorService
    let secret = Secret("0123456789abcdef")
    let master: Caller
    let app: AppID

    init(_ limits: CheckLimits = CheckLimits(), purges: Bool = false, checkers: [any Checker]? = nil) async throws {
        app = try #require(AppID("app"))
        master = Caller(app: app, isMaster: true)
        policy = images.files.policy
        let presentation = FilePresentation(publicURL: "https://files.example.com", bucket: "app", policy: policy)
        remoteImages = RemoteImages(
            fetchers: Fetchers(origin),
            derivatives: images.derivatives,
            types: FixedTypes(),
            limit: CensorFixture.remoteLimit,
            memory: ServedMemory(limit: 2 * Int(CensorFixture.remoteLimit))
        )
        let checks = FileChecks(
            files: images.files,
            images: images.service(),
            remoteImages: remoteImages,
            checkers: checkers ?? [KnownImageChecker(store: images.store, known: known), checker],
            limits: limits
        )
        let webhookSettings = WebhookSettings(sender: webhooks, secret: secret, timeout: 5)
        let purgeURL = try RemoteURL("https://cdn.example.com/purge")
        queue = CensorQueue(
            app: app,
            store: images.store,
            checks: checks,
            policy: policy,
            purge: purges
                ? PurgeHook(app: app, url: purgeURL, settings: webhookSettings, files: presentation) : nil,
            limits: limits,
            clock: { [clock] in clock.now }
        )
        service = CensorService(
            queue: queue,
            classifier: classifier,
            known: known,
            previews: Previews(
                base: "https://api.example.com",
                address: PreviewAddress(app: app, masterKey: Secret("master-key"))
            ),
            presentation: presentation,
            webhookSecret: secret
        )
        try await service.start()
    }

    var store: MemoryObjectStore { images.store }

    /// Changes settings as the master key does.
    func set(_ members: [String: JSONValue]) async throws {
        _ = try await service.change(members, by: nil, as: master)
    }

    /// Uploads an image.
    @discardableResult
    func upload(_ text: String = "a photograph", key: String = "own/photo.jpg") async throws -> ObjectID {
        let origin = try await images.file(text, key: key)
        let fileKey = try #require(FileKey(origin.source))
        return try #require(try await FileRecords(store).file(key: fileKey)).id
    }

    /// The largest file in bytes that is fetched from the other server.
    static let remoteLimit: Int64 = 1000

    /// Adds the record of a file on the other server, as a client does.
    func link(_ url: String = "https://elsewhere.example/file", type: String? = nil) async throws -> ObjectID {
        var fields: [String: JSONValue] = ["name": "file", "url": .string(url)]
        fields["mime_type"] = type.map(JSONValue.string)
        let record = StoredObject(
            id: ObjectIDGenerator().next(),
            createdAt: .now(),
            updatedAt: .now(),
            fields: fields
        )
        try await store.write { [record] in try $0.insert(try $0.queuedForCheck(record, at: .now()), into: .file) }
        return record.id
    }

    /// Does all jobs that are due, and returns how many steps that took.
    @discardableResult
    func work() async throws -> Int {
        var steps = 0
        while try await queue.step() { steps += 1 }
        return steps
    }

    func verdict(of id: ObjectID) async throws -> Verdict? {
        try await store.read { try $0.object(id, in: .file)?.verdict }
    }

    func decision(about id: ObjectID) async throws -> Decision? {
        try await store.read { try $0.object(id, in: .file)?.decision }
    }

    /// The machine's decisions in the audit log.
    func machineDecisions(about id: ObjectID) async throws -> [Decision] {
        try await service.state(of: id, as: master).history?.filter { $0.kind == .machine } ?? []
    }

    /// The waiting jobs.
    func jobs() async throws -> [CensorJob] {
        try await store.read { try $0.find(ObjectQuery(.censorJob, page: .all)).compactMap(CensorJob.init) }
    }
}

/// A clock that a test moves; it begins a day after the time at which records are made, so that jobs are due.
final class SteppingClock: Sendable {
    private let time = Mutex(Timestamp.now().adding(seconds: 86_400))

    var now: Timestamp { time.withLock { $0 } }

    func advance(seconds: Int) { time.withLock { $0 = $0.adding(seconds: seconds) } }
}

/// A checker that says what a test tells it.
final class ScriptedChecker: Checker {
    private struct Script {
        var result = CheckResult.opinion(Opinion(.passed))
        var failure: (any Error)?
        var during: (@Sendable () async throws -> Void)?
        var seen: [ObjectID] = []
    }

    private let script = Mutex(Script())

    let name = "scripted"
    let canAnswerLater = true

    /// The files that it was asked about, in this order.
    var seen: [ObjectID] { script.withLock(\.seen) }

    /// Says this from now on.
    func say(_ verdict: Verdict, scores: [String: Double] = [:]) {
        answer(.opinion(Opinion(verdict, scores: scores)))
    }

    /// Answers this from now on.
    func answer(_ result: CheckResult) {
        script.withLock {
            $0.result = result
            $0.failure = nil
        }
    }

    /// Fails from now on.
    func fail(_ error: any Error) { script.withLock { $0.failure = error } }

    /// Does something in the middle of each check.
    func during(_ body: @escaping @Sendable () async throws -> Void) { script.withLock { $0.during = body } }

    func check(_ image: CheckedImage, under settings: CensorSettings) async throws -> CheckResult {
        let script = script.withLock { script in
            script.seen.append(image.id)
            return script
        }
        try await script.during?()
        if let failure = script.failure { throw failure }
        return script.result
    }
}

/// A classifier whose scores a test tells.
final class ScriptedClassifier: ImageClassifier {
    private let result = Mutex<Result<[Double], ServiceError>>(.success([0.1]))

    func say(_ scores: [Double]) { result.withLock { $0 = .success(scores) } }

    func fail(_ error: ServiceError) { result.withLock { $0 = .failure(error) } }

    func scores(of frames: [ByteBuffer]) async throws -> [Double] {
        try result.withLock { try $0.get() }
    }

    var unavailability: String? {
        guard case .failure(let error) = result.withLock({ $0 }) else { return nil }
        return error.message
    }
}

/// Webhooks that answer what a test tells.
final class ScriptedWebhooks: WebhookSender {
    struct Request: Sendable {
        let url: String
        let body: [String: JSONValue]
        let bytes: [UInt8]
        let headers: [String: String]
    }

    private let state = Mutex((reply: WebhookReply(status: 200, body: []), requests: [Request]()))

    /// What was sent, in this order.
    var requests: [Request] { state.withLock(\.requests) }

    /// Answers this from now on.
    func answer(_ status: Int, _ body: String = "", isWhole: Bool = true) {
        state.withLock { $0.reply = WebhookReply(status: status, body: Array(body.utf8), isWhole: isWhole) }
    }

    func post(
        _ body: [UInt8],
        to url: RemoteURL,
        headers: [(name: String, value: String)],
        within seconds: Int
    ) async throws -> WebhookReply {
        let members = try JSONValue(parsing: body, field: "body").objectValue ?? [:]
        return state.withLock { state in
            let fields = Dictionary(uniqueKeysWithValues: headers.map { ($0.name, $0.value) })
            state.requests.append(Request(url: url.description, body: members, bytes: body, headers: fields))
            return state.reply
        }
    }
}
