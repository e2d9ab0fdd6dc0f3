package import Domain

/// The services of one app; built by Server.
///
/// A class, because each request gets it, and to copy so many services took a fifth of the time of a short one.
package final class AppServices: Sendable {
    /// The app's id.
    package let id: AppID
    /// The work that one of several servers does at a time.
    package let leases: Leases
    /// Receives uploads.
    package let uploads: UploadService
    /// Serves files.
    package let files: FileService
    /// Which downloads are redirected to the store of the blobs.
    package let redirects: DownloadRedirects
    /// Removes the bytes of deleted files.
    package let deletions: FileDeletions
    /// Lists, restores and removes deleted files.
    package let trash: TrashService
    /// Finds files that no object refers to.
    package let collections: CollectionService
    /// Tells how much space the files use.
    let usage: UsageService
    /// Renders derivatives.
    package let images: ImageService
    /// Fetches files from other servers.
    package let remoteImages: RemoteImages
    /// Reads and changes objects, including file records.
    package let objects: ObjectService
    /// Returns and changes the fields of classes.
    package let schemas: SchemaService
    /// Returns and changes the permissions of classes.
    package let permissions: PermissionService
    /// Looks up the user of a session.
    package let sessions: SessionService
    /// Logs users in.
    package let accounts: AccountService
    /// Sends users links by mail, and does what the links are for.
    package let links: MailLinkService
    /// Sends mails; `nil` if the server sends none.
    package let mails: MailQueue?
    /// Whom users follow, their friends, and whom they block.
    package let friendships: FriendshipService
    /// Statuses and inboxes.
    package let feeds: FeedService
    /// Delivers statuses to inboxes.
    package let people: PeopleQueue
    /// Sends codes by SMS, and does what the codes are for; `nil` if the server sends no SMS.
    package let codes: SMSCodeService?
    /// Sends SMS; `nil` if the server sends none.
    package let sms: SMSQueue?
    /// Captchas; `nil` if the server sends no SMS.
    package let captchas: CaptchaService?
    /// Renders file records for clients.
    package let presentation: FilePresentation
    /// All possible beginnings of the app's file URLs.
    package let fileDomains: [String]
    /// Fetches the files of unknown keys; `nil` if the app has no mirror.
    package let mirror: MirrorService?
    /// Censors images.
    package let censorship: CensorService
    /// The sessions of the console and its audit log.
    package let console: ConsoleService
    /// Live queries; `nil` if the server has none.
    package let liveQueries: LiveQueryService?
    /// The failed requests of the last time.
    let failures = RecentFailures()
    /// The changes of the last time, for owners who watch them.
    package let recentChanges: RecentChanges
    /// The hosts of the file domains that belong to this app alone, with their ports.
    let ownHosts: Set<String>
    let decoder: ObjectRequestDecoder

    /// Creates the value from services that Server built, with the limits and the engine for parsing conditions.
    package init(
        id: AppID,
        leases: Leases? = nil,
        uploads: UploadService,
        files: FileService,
        redirects: DownloadRedirects = DownloadRedirects(),
        deletions: FileDeletions,
        trash: TrashService,
        collections: CollectionService,
        images: ImageService,
        remoteImages: RemoteImages,
        objects: ObjectService,
        schemas: SchemaService,
        permissions: PermissionService,
        sessions: SessionService,
        accounts: AccountService,
        links: MailLinkService,
        mails: MailQueue? = nil,
        friendships: FriendshipService,
        feeds: FeedService,
        people: PeopleQueue,
        codes: SMSCodeService? = nil,
        sms: SMSQueue? = nil,
        captchas: CaptchaService? = nil,
        presentation: FilePresentation,
        fileDomains: [String] = [],
        ownDomains: [String] = [],
        mirror: MirrorService? = nil,
        censorship: CensorService,
        console: ConsoleService,
        liveQueries: LiveQueryService? = nil,
        queries: QueryLimits,
        patterns: any PatternEngine
    ) {
        self.id = id
        self.leases = leases ?? Leases(nil, of: id)
        self.uploads = uploads
        self.files = files
        self.redirects = redirects
        self.deletions = deletions
        self.trash = trash
        self.collections = collections
        usage = UsageService(uploads: uploads, trash: trash)
        recentChanges = RecentChanges(of: files.changes)
        self.images = images
        self.remoteImages = remoteImages
        self.objects = objects
        self.schemas = schemas
        self.permissions = permissions
        self.sessions = sessions
        self.accounts = accounts
        self.links = links
        self.mails = mails
        self.friendships = friendships
        self.feeds = feeds
        self.people = people
        self.codes = codes
        self.sms = sms
        self.captchas = captchas
        self.presentation = presentation
        self.fileDomains = fileDomains
        self.mirror = mirror
        self.censorship = censorship
        self.console = console
        self.liveQueries = liveQueries
        ownHosts = Set(ownDomains.compactMap(AppServices.host(of:)))
        decoder = ObjectRequestDecoder(limits: queries, engine: patterns)
    }
}

extension [AppID: AppServices] {
    /// The services of the caller's app, which exist for every authenticated caller.
    func services(of caller: Caller) throws -> AppServices {
        guard let app = self[caller.app] else { throw ServiceError(.unauthorized, "Unauthorized.") }
        return app
    }
}

/// Limits of the HTTP interface, each a setting.
package struct WireLimits: Sendable {
    /// The maximum size in bytes of a JSON request body with the master key.
    package var jsonSize: Int
    /// The maximum size in bytes of a JSON request body with a session.
    package var userJSONSize: Int
    /// The maximum size in bytes of a JSON request body without a session.
    package var guestJSONSize: Int
    /// The maximum number of values in a JSON body, or in one request of a batch.
    package var jsonValues: Int
    /// The same with the master key, if it is greater.
    package var masterJSONValues: Int
    /// The maximum number of requests in a batch.
    package var batchSize: Int
    /// The maximum memory in bytes of all JSON bodies together, including their values.
    package var bodyMemory: Int
    /// The maximum size in bytes of a form field that is not a file.
    package var fieldSize: Int
    /// The maximum number of parts in a form, files and fields together.
    package var formParts: Int
    /// The minimum bytes a second at which an upload must arrive; 0 for none.
    package var uploadSpeed: Int

    /// Creates limits; the defaults are those of the settings.
    package init(
        jsonSize: Int = 20 << 20,
        userJSONSize: Int = 8 << 20,
        guestJSONSize: Int = 4 << 20,
        jsonValues: Int = JSONValue.maxValues,
        masterJSONValues: Int = JSONValue.maxValues,
        batchSize: Int = 100_000,
        bodyMemory: Int = 128 << 20,
        fieldSize: Int = 128 << 10,
        formParts: Int = 100,
        uploadSpeed: Int = 1 << 10
    ) {
        self.jsonSize = jsonSize
        self.userJSONSize = userJSONSize
        self.guestJSONSize = guestJSONSize
        self.jsonValues = jsonValues
        self.masterJSONValues = masterJSONValues
        self.batchSize = batchSize
        self.bodyMemory = bodyMemory
        self.fieldSize = fieldSize
        self.formParts = formParts
        self.uploadSpeed = uploadSpeed
    }
}
