package import Domain
package import HTTPAPI
package import Logging
internal import Storage

/// Every setting of the server, filled from flags, environment, file and defaults in one place
/// (``ConfigurationLoader``); code below never reads an environment variable.
package struct ServerConfiguration: Sendable {
    /// Where to listen.
    package var host = "127.0.0.1"
    /// 1 to 65535.
    package var port = 8080
    /// The address clients reach the server under, without a slash at its end; file URLs begin with it.
    package var publicURL: String?
    /// The storage folder.
    package var storage = "storage"
    /// `http.*` but the size of JSON bodies.
    package var http = HTTPSettings()
    /// `uploads.*` but what concerns the wire.
    package var uploads = UploadLimits()
    /// The upload dialect that each SDK is told to use.
    package var providers = ProviderChoice()
    /// Seconds from one look for expired uploads to the next.
    package var sweepInterval = 60
    /// The limits of bodies, fields and parts.
    package var wire = WireLimits()
    /// `fetch.*` but what concerns threads and networks.
    package var fetching = FetchLimits()
    /// Networks that may be fetched from although the Internet does not route them.
    package var fetchNetworks: [IPNetwork] = []
    /// `objects.*`.
    package var objects = ObjectLimits()
    /// `queries.*`.
    package var queries = QueryLimits()
    /// `accounts.*`, but what concerns threads.
    package var accounts = AccountSettings()
    /// `accounts.authDataVerifier…`.
    package var verifier = VerifierSettings()
    /// `downloads.*`.
    package var downloads = DownloadCache()
    /// `images.*` but what concerns threads, memory and the cache.
    package var images = ImageSettings()
    /// Bytes of derivatives that are cached for each app; 0: no cache.
    package var derivativeCache: Int64 = 1 << 30
    /// Bytes held free for deletes when the storage is full; 0 holds none.
    package var reserve: Int64 = 32 << 20
    /// How much blocking work is done at once.
    package var threads = ThreadSettings()
    /// A table of extensions in the form of `/etc/mime.types`.
    package var typeTable = "/etc/mime.types"
    /// `metrics.*`.
    package var metrics = MetricsSettings()
    /// Lines below it are not written.
    package var logLevel = Logger.Level.info
    /// Empty: the server creates an app at its first start and stores it in the storage folder.
    package var apps: [AppConfiguration] = []

    /// Every setting at its default.
    package init() {}

    /// How connections and the server's end are timed.
    package struct HTTPSettings: Sendable {
        /// Seconds in which a connection must send something of a request it began, or begin one.
        package var idleTimeout = 60
        /// Seconds that running requests get to finish after SIGTERM.
        package var shutdownTimeout = 30
        /// Connections that are open at once; 0 means as many as the limit of open files allows, up to 10 000.
        package var maxConnections = 0
    }

    /// How many threads do which blocking work.
    package struct ThreadSettings: Sendable {
        /// Images rendered at the same time; 0 means as many as there are cores.
        package var images = 0
        /// Images that wait beyond those; more are refused with 429.
        package var imageQueue = 256
        /// Bytes that all images that are rendered at the same time may take together.
        package var imageMemory = 512 << 20
        /// Processes that draw formats whose libraries are not fuzzed, at the same time.
        package var imageWorkers = 2
        /// The most bytes that each of them may take.
        package var imageWorkerMemory = 512 << 20
        /// Passwords hashed at the same time.
        package var passwords = 2
        /// Passwords that wait beyond those; more are refused with 429.
        package var passwordQueue = 256
        /// The logarithm to base 2 of scrypt's N: 1 KiB of memory times N for each password that is hashed.
        package var passwordCost = 15
        /// Files fetched from other servers at the same time.
        package var fetches = 4
        /// Fetches that wait beyond those; more are refused with 429.
        package var fetchQueue = 64
        /// The same for guests, at most as many as for the others.
        package var guestFetches = 2
        /// Those of theirs that wait beyond these, at most as many as the others'.
        package var guestFetchQueue = 32
        /// Blob reads and writes at the same time, all apps together.
        package var disk = 16
        /// Database queries at the same time, for each app.
        package var databaseReaders = 4
        /// Bytes of pages that each of their connections caches.
        package var databaseCache = 16 << 20
    }

    /// The URL that verifies third-party log-ins.
    package struct VerifierSettings: Sendable {
        /// An http or https URL; with `nil`, `authData` of clients is not verified.
        package var url: String?
        /// Seconds for one question.
        package var timeout = 5
    }

    /// Where Prometheus finds its text.
    package struct MetricsSettings: Sendable {
        /// Whether there is a `/metrics` at all.
        package var enabled = true
        /// Where it listens.
        package var host = "127.0.0.1"
        /// 1 to 65535.
        package var port = 9464
    }

    /// What file URLs begin with.
    package var fileURLBase: String {
        if let publicURL { return publicURL }
        let name = ["0.0.0.0", "::", "[::]"].contains(host) ? "localhost" : host
        return "http://\(name.contains(":") ? "[\(name)]" : name):\(port)"
    }

    /// The most bytes of images that are answered from memory, all apps together.
    package var servedImageMemory: Int { threads.imageMemory / 4 }

    /// The most bytes of other servers' files that are in memory to be shown, all apps together.
    ///
    /// Room for the largest that are fetched at the same time, and for as many that wait for the disk.
    package var fetchedMemory: Int {
        max(64 << 20, 2 * threads.fetches * Int(clamping: images.limits.sourceSize))
    }

    /// The limits of bodies, fields and parts; however large an object may be, its body may hold all its values.
    package var wireLimits: WireLimits {
        var limits = wire
        // The shortest value takes a digit and a comma.
        limits.jsonValues = max(wire.jsonValues, objects.objectSize / 2 + 1000)
        return limits
    }

    /// Files that are fetched for guests, at the same time and waiting: never more than for others.
    package var guestFetches: (threads: Int, queue: Int) {
        (min(threads.guestFetches, threads.fetches), min(threads.guestFetchQueue, threads.fetchQueue))
    }

    /// Checks what no single value shows.
    ///
    /// - Throws: ``ExitError`` naming the settings that do not fit together.
    package func validate() throws {
        guard !metrics.enabled || metrics.port != port else {
            throw ExitError.configuration("metrics.port is \(port), the same as port; choose another one")
        }
        // One guest may hold a quarter of it, and sends files of old SDKs as Base64 in JSON.
        guard wire.jsonSize <= wire.bodyMemory / 4 else {
            throw ExitError.configuration(
                "http.bodyMemory is \(wire.bodyMemory) bytes; it must be at least four times http.maxJsonSize"
            )
        }
        guard Set(apps.map(\.id)).count == apps.count else {
            throw ExitError.configuration("apps: two apps have the same id")
        }
        for app in apps { try app.checkStyles(against: images.limits) }
    }
}

/// One app as the configuration names it.
package struct AppConfiguration: Sendable {
    /// The app.
    package let id: AppID
    /// Its two keys.
    package let keys: AppKeys
    /// What its file URLs may begin with, the one that they do first; nothing means the server's own address.
    package let fileDomains: [String]
    /// What its image URLs may say beyond Qiniu's grammar.
    package var images = ImageNames()

    /// Checks the id and keys of an app.
    ///
    /// - Throws: ``ExitError`` naming the one that is wrong; keys are never repeated in it.
    package init(id: String, appKey: String, masterKey: String, fileDomains: [String] = []) throws {
        guard let appID = AppID(id) else {
            throw ExitError.configuration("the app id '\(id)' must be 1 to 64 letters, digits, '-' or '_'")
        }
        for (name, key) in [("app key", appKey), ("master key", masterKey)] {
            guard (8...256).contains(key.utf8.count), key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x2c })
            else {
                throw ExitError.configuration(
                    "the \(name) of app '\(id)' must be 8 to 256 visible ASCII characters without a comma"
                )
            }
        }
        guard appKey != masterKey else {
            throw ExitError.configuration("the app key and the master key of app '\(id)' must differ")
        }
        self.fileDomains = try fileDomains.map { text in
            guard let address = SettingReader.address(text) else {
                throw ExitError.configuration(
                    "fileDomains of app '\(id)' has '\(text)'; allowed: an address such as https://files.example.com"
                )
            }
            return address
        }
        self.id = appID
        keys = AppKeys(appKey: Secret(appKey), masterKey: Secret(masterKey))
    }

    /// Checks that the chains of the styles are understood, and that the limits let them pass.
    ///
    /// - Throws: ``ExitError`` naming the app, the style and what is wrong with it.
    func checkStyles(against limits: ImageLimits) throws {
        // Which file a mark is, or none, may depend on the host of a request; so that is looked at when one comes.
        let context = ImageParsingContext(limits: limits, ownKey: { _ in FileKey("mark") }, fileSize: .max)
        for (name, chain) in images.styles.sorted(by: { $0.key < $1.key }) {
            do {
                _ = try ImageRequest(chain: chain, context: context)
            } catch let error as ServiceError {
                throw ExitError.configuration("the style '\(name)' of app '\(id)' cannot be used. \(error.message)")
            }
        }
    }
}
