import Domain
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PCREPatterns
import Support
import Testing

@testable import HTTPAPI

/// A whole API over stores in memory, without a socket.
struct TestServer {
    let staging = MemoryStagingArea()
    var blobs = MemoryBlobStore()
    let store = MemoryObjectStore()
    let other = MemoryObjectStore()
    let derivatives = MemoryDerivativeStore()
    let otherDerivatives = MemoryDerivativeStore()
    var uploads = UploadLimits(fileSize: 1 << 20, nameLength: 255)
    var wire = WireLimits(jsonSize: 1 << 16, fieldSize: 1024, formParts: 10)
    /// Where large bodies are worked on.
    var largeBodies: (any TaskExecutor)?
    var renderer: any ImageRenderer = FixedRenderer()
    var fetcher: any Fetcher = FixedFetcher()
    /// How images are made, for both apps.
    var images = ImageSettings()
    /// How accounts work, in both apps.
    var accounts = AccountSettings()
    /// What `/health` tells of.
    var health = StorageHealth()
    /// What `/ready` tells of.
    var readiness = { [now = ContinuousClock.now] in Readiness { now } }()
    /// Receives the requests for the log.
    var requests: RequestSink?
    /// Whether JSON is compressed.
    var compresses = true
    /// The file domains that are each app's own.
    var ownDomains: [String: [String]] = [:]
    /// The apps whose unknown files are fetched from elsewhere.
    var mirrors: Set<String> = []
    /// What the URLs of both apps may say.
    var names = ImageNames()
    /// Which file URLs need a signature.
    var fileAccess = FileAccess.public
    /// Which image URLs need a signature of their own.
    var imageAccess = ImageAccess.any
    /// Which downloads are redirected, in both apps.
    var redirects = DownloadRedirects()
    /// How long deleted files stay in the trash, in both apps.
    var trash = TrashSettings()
    /// The limits of relations and feeds, in both apps.
    var people = PeopleLimits()
    /// How mails are sent, in both apps; none are with `nil`.
    var mail: MailFixture?
    /// How SMS are sent, in both apps; none are with `nil`.
    var sms: SMSFixture?

    /// Runs requests against the API; what stands in the stores afterwards can be asked.
    func test<Value>(_ body: @escaping @Sendable (TestClient) async throws -> Value) async throws -> Value {
        let ids = ["app", "other"].compactMap(AppID.init)
        let keys = [
            AppKeys(appKey: Secret("app-key"), masterKey: Secret("master-key")),
            AppKeys(appKey: Secret("other-key"), masterKey: Secret("other-master")),
        ]
        let apps = [
            services(ids[0], keys[0], store, derivatives), services(ids[1], keys[1], other, otherDerivatives),
        ]
        for app in apps {
            try await app.censorship.start()
            try await app.objects.prepare()
        }
        let api = API(
            apps: apps,
            authenticator: Authenticator(keys: Dictionary(uniqueKeysWithValues: zip(ids, keys))),
            publicURL: "https://api.example.com",
            limits: wire,
            largeBodies: largeBodies,
            health: health,
            readiness: readiness,
            compresses: compresses,
            requests: requests
        )
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        let stores = [store, other]
        let client = TestClient(api.responder(), logger: quiet, hotDownloads: api.hotDownloads) {
            // In place of the worker, so that what is left can be asked right after the answer.
            for (app, store) in zip(apps, stores) where store.count(of: .deletion) > 0 {
                _ = await app.deletions.drain()
            }
        }
        return try await body(client)
    }

    private func services(
        _ id: AppID,
        _ keys: AppKeys,
        _ store: MemoryObjectStore,
        _ derivatives: MemoryDerivativeStore
    ) -> AppServices {
        let policy = CensorPolicy()
        let files = FileService(files: FileRecords(store), blobs: blobs, policy: policy)
        let deletions = FileDeletions(app: id, store: store, blobs: blobs, derivatives: derivatives, files: files)
        let presentation = FilePresentation(
            publicURL: "https://files.example.com",
            bucket: id.bucket,
            policy: policy,
            privacy: FilePrivacy(
                access: fileAccess,
                images: imageAccess,
                life: 3600,
                signatures: URLSignatures(app: id, secrets: [Secret("a key of sixteen")])
            )
        )
        let settings = ObjectSettings(
            files: presentation,
            accountDependencies: AccountDependencies(settings: accounts, changes: store.changes, hasher: PlainHasher()),
            trash: self.trash,
            mail: mail?.policy(verifying: accounts.verifiesEmail),
            people: people,
            sms: sms?.policy(),
            clock: { [clock = mail?.clock ?? sms?.clock] in clock?.now ?? .now() }
        )
        let receiver = UploadService(
            app: id,
            limits: uploads,
            storage: BlobStorage(staging: staging, blobs: blobs),
            store: store,
            types: FixedTypes(),
            sessions: SessionService(store: store, dependencies: settings.accountDependencies),
            deletions: deletions
        )
        let mirror = MirrorService(
            origin: "https://old.example.com/\(id)",
            settings: MirrorSettings(),
            uploads: receiver,
            fetcher: fetcher
        )
        let images = ImageService(
            settings: images,
            names: names,
            files: files,
            renderer: renderer,
            admission: ImageAdmission(workers: 1, memory: 1 << 30, queue: 100),
            served: ServedMemory(limit: 1 << 20),
            derivatives: derivatives,
            scratch: staging
        )
        let remoteImages = RemoteImages(
            fetchers: Fetchers(fetcher),
            derivatives: derivatives,
            types: FixedTypes(),
            limit: images.settings.limits.sourceSize,
            memory: ServedMemory(limit: 1 << 20)
        )
        let objects = ObjectService(store: store, settings: settings)
        let trash = TrashService(store: store, blobs: blobs, uploads: receiver, settings: settings)
        return AppServices(
            id: id,
            uploads: receiver,
            files: files,
            redirects: redirects,
            deletions: deletions,
            trash: trash,
            collections: CollectionService(
                store: store,
                trash: trash,
                fileDomains: [presentation.publicURL],
                styleSeparator: names.separator
            ),
            images: images,
            remoteImages: remoteImages,
            objects: objects,
            schemas: SchemaService(store: store, limits: ObjectLimits()),
            permissions: PermissionService(store: store, limits: ObjectLimits()),
            sessions: SessionService(store: store, dependencies: settings.accountDependencies),
            accounts: AccountService(store: store, settings: settings),
            links: MailLinkService(store: store, settings: settings, templates: mail?.templates),
            mails: mail?.queue(store, of: id),
            friendships: FriendshipService(store: store, settings: settings, objects: objects),
            feeds: FeedService(store: store, settings: settings, objects: objects, engine: PCREEngine()),
            people: PeopleQueue(app: id, store: store, settings: settings, objects: objects, engine: PCREEngine()),
            codes: SMSCodeService(store: store, settings: settings, captchas: sms?.captchas(store)),
            sms: sms?.queue(store, of: id),
            captchas: sms?.captchas(store),
            presentation: presentation,
            fileDomains: [presentation.publicURL],
            ownDomains: ownDomains[id.description] ?? [],
            mirror: mirrors.contains(id.description) ? mirror : nil,
            censorship: CensorService.fixture(id, store, files, images, remoteImages, presentation),
            console: ConsoleService(store: store, keys: keys),
            queries: QueryLimits(),
            patterns: PCREEngine()
        )
    }
}

/// Who calls, as headers.
enum Who: String, CaseIterable, Sendable {
    case guest
    case client
    case master
    case stranger

    var headers: HTTPFields {
        switch self {
        case .guest: [:]
        case .client: [.known("X-LC-Id"): "app", .known("X-LC-Key"): "app-key"]
        case .master: [.known("X-LC-Id"): "app", .known("X-LC-Key"): "master-key,master"]
        case .stranger: [.known("X-LC-Id"): "other", .known("X-LC-Key"): "other-key"]
        }
    }
}

extension TestResponse {
    var text: String { String(buffer: body) }

    func json() throws -> [String: JSONValue] {
        try #require(try JSONValue(parsing: .init(body.readableBytesView), field: "body").objectValue)
    }
}

extension TestClient {
    /// Sends JSON, or nothing.
    func send(
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        _ headers: HTTPFields = Who.client.headers
    ) async throws -> TestResponse {
        var headers = headers
        if body != nil { headers[.contentType] = "application/json" }
        return try await execute(
            uri: path,
            method: try #require(HTTPRequest.Method(method)),
            headers: headers,
            body: body.map { ByteBuffer(string: $0) }
        )
    }

    /// Uploads a form of one field and a file of text with the app key and returns its record.
    func upload(_ name: String, _ field: (name: String, text: String)) async throws -> [String: JSONValue] {
        var headers = Who.client.headers
        headers[.contentType] = "multipart/form-data; boundary=b"
        let form = """
            --b\r\nContent-Disposition: form-data; name="\(field.name)"\r\n\r\n\(field.text)\r\n\
            --b\r\nContent-Disposition: form-data; name="file"; filename="\(name)"\r\n\r\nhello\r\n--b--\r\n
            """
        return try await execute(
            uri: "/1.1/files",
            method: .post,
            headers: headers,
            body: ByteBuffer(string: form)
        ) { response in
            #expect(response.status == .created)
            return try response.json()
        }
    }

    /// Uploads text under a name with the app key and returns its record.
    func upload(_ name: String, _ text: String = "hello", as type: String? = nil) async throws -> [String: JSONValue] {
        var headers = Who.client.headers
        headers[.contentType] = type
        return try await execute(
            uri: "/1.1/files/\(name)",
            method: .post,
            headers: headers,
            body: ByteBuffer(string: text)
        ) { response in
            #expect(response.status == .created)
            return try response.json()
        }
    }
}
