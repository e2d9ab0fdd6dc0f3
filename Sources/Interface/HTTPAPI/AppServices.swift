package import Domain

/// One app's services; built by Server.
package struct AppServices: Sendable {
    /// The app.
    package let id: AppID
    /// Takes bytes in.
    package let uploads: UploadService
    /// Serves bytes.
    package let files: FileService
    /// Removes the bytes of deleted files.
    package let deletions: FileDeletions
    /// Makes derivatives.
    package let images: ImageService
    /// Gets files that lie on other servers.
    package let remoteImages: RemoteImages
    /// Reads and changes objects, file records among them.
    package let objects: ObjectService
    /// Shows and changes what is known of classes.
    package let schemas: SchemaService
    /// Shows and sets the permissions of classes.
    package let permissions: PermissionService
    /// Looks up the user of a session.
    package let sessions: SessionService
    /// Logs users in.
    package let accounts: AccountService
    /// How file records are shown.
    package let presentation: FilePresentation
    /// Everything that file URLs of the app may begin with.
    package let fileDomains: [String]
    let decoder: ObjectRequestDecoder

    /// Takes services that Server built, and what the conditions of requests are read with.
    package init(
        id: AppID,
        uploads: UploadService,
        files: FileService,
        deletions: FileDeletions,
        images: ImageService,
        remoteImages: RemoteImages,
        objects: ObjectService,
        schemas: SchemaService,
        permissions: PermissionService,
        sessions: SessionService,
        accounts: AccountService,
        presentation: FilePresentation,
        fileDomains: [String] = [],
        queries: QueryLimits,
        patterns: any PatternEngine
    ) {
        self.id = id
        self.uploads = uploads
        self.files = files
        self.deletions = deletions
        self.images = images
        self.remoteImages = remoteImages
        self.objects = objects
        self.schemas = schemas
        self.permissions = permissions
        self.sessions = sessions
        self.accounts = accounts
        self.presentation = presentation
        self.fileDomains = fileDomains
        decoder = ObjectRequestDecoder(limits: queries, engine: patterns)
    }
}

extension [AppID: AppServices] {
    /// The services of the caller's app; an authenticated caller has one.
    func services(of caller: Caller) throws -> AppServices {
        guard let app = self[caller.app] else { throw ServiceError(.unauthorized, "Unauthorized.") }
        return app
    }
}

/// Limits of the wire itself, each a setting.
package struct WireLimits: Sendable {
    /// The most bytes of a JSON request body of the master key.
    package var jsonSize: Int
    /// The most bytes of one of a user with a session.
    package var userJSONSize: Int
    /// The most bytes of one of a client without a session.
    package var guestJSONSize: Int
    /// The most values of a JSON body, or of one request of a batch.
    package var jsonValues: Int
    /// The most requests of a batch.
    package var batchSize: Int
    /// The most bytes that all JSON bodies hold at the same time, with the values made of them.
    package var bodyMemory: Int
    /// The most bytes of one form field that is not a file.
    package var fieldSize: Int
    /// The most parts of a form, files and fields together.
    package var formParts: Int

    /// Takes every limit; the defaults are those of the settings.
    package init(
        jsonSize: Int = 20 << 20,
        userJSONSize: Int = 8 << 20,
        guestJSONSize: Int = 4 << 20,
        jsonValues: Int = JSONValue.maxValues,
        batchSize: Int = 100_000,
        bodyMemory: Int = 128 << 20,
        fieldSize: Int = 128 << 10,
        formParts: Int = 100
    ) {
        self.jsonSize = jsonSize
        self.userJSONSize = userJSONSize
        self.guestJSONSize = guestJSONSize
        self.jsonValues = jsonValues
        self.batchSize = batchSize
        self.bodyMemory = bodyMemory
        self.fieldSize = fieldSize
        self.formParts = formParts
    }
}
