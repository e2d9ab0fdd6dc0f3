package import Domain
package import HTTPAPI
package import Logging

/// Every setting of the server, loaded by ``ConfigurationLoader`` from flags, environment, file and defaults; other
/// code never reads an environment variable.
package struct ServerConfiguration: Sendable {
    /// The host to listen on.
    package var host = "127.0.0.1"
    /// The port to listen on, up to 65535; 0 for a free one.
    package var port = 8080
    /// The URL under which clients reach the server, without a slash at its end; file URLs begin with it.
    package var publicURL: String?
    /// `tls.*`.
    package var tls = TLSSettings()
    /// The storage folder.
    package var storage = "storage"
    /// The `http.*` settings, except the sizes of JSON bodies.
    package var http = HTTPSettings()
    /// `http2.*`.
    package var http2 = HTTP2Limits()
    /// `limits.*`.
    package var requestLimits = RequestLimits.Settings()
    /// The `uploads.*` settings, except those of the HTTP interface.
    package var uploads = UploadLimits()
    /// The upload dialect for each SDK.
    package var providers = ProviderChoice()
    /// Seconds between two sweeps for expired uploads.
    package var sweepInterval = 60
    /// The limits of bodies, fields and parts.
    package var wire = WireLimits()
    /// The `fetch.*` settings, except those on threads and networks.
    package var fetching = FetchLimits()
    /// Networks outside the public Internet from which fetches are allowed.
    package var fetchNetworks: [IPNetwork] = []
    /// The `censorship.*` settings.
    package var censorship = CensorshipConfiguration()
    /// The `mail.*` settings.
    package var mail = MailConfiguration()
    /// `trash.*`.
    package var trash = TrashSettings()
    /// `people.*`.
    package var people = PeopleLimits()
    /// The `sms.*` settings.
    package var sms = SMSConfiguration()
    /// The `mirror.*` settings, except those on threads.
    package var mirror = MirrorSettings()
    /// `objects.*`.
    package var objects = ObjectLimits()
    /// `queries.*`.
    package var queries = QueryLimits()
    /// `liveQueries.*`.
    package var liveQueries = LiveQuerySettings()
    /// The `accounts.*` settings, except those on threads and the secret of sessions.
    package var accounts = AccountSettings()
    /// `accounts.sharedSessionToken`.
    package var sharesSessionTokens = true
    /// `accounts.authDataVerifier…`.
    package var verifier = VerifierSettings()
    /// `files.*` and `images.access`.
    package var privacy = PrivacySettings()
    /// `downloads.*`.
    package var downloads = DownloadCache()
    /// `downloads.hot…`.
    package var hotDownloads = HotDownloadLimits()
    /// Which downloads are redirected to the store of the blobs.
    package var redirects = DownloadRedirects()
    /// The `images.*` settings, except those on threads, memory and the cache.
    package var images = ImageSettings()
    /// The maximum bytes of cached derivatives for each app; 0 disables the cache.
    package var derivativeCache: Int64 = 1 << 30
    /// The seconds for which derivatives stay in the bucket, where all servers find them; 0 if they are not there.
    package var sharedDerivatives = 0
    /// Bytes reserved for deletes when the storage is full; 0 reserves none.
    package var reserve: Int64 = 32 << 20
    /// The free space in bytes below which the server is not ready; 0 for no such limit.
    package var minFree: Int64 = 128 << 20
    /// `scrub.*`.
    package var scrub = ScrubSettings()
    /// The address of the PostgreSQL database with the objects of all apps; empty for SQLite in the storage folder.
    package var databaseURL = Secret("")
    /// Whether the server starts although acknowledged changes are missing in a database (`disk.lostCommits`).
    package var acceptsLostCommits = false
    /// The limits on parallel blocking work.
    package var threads = ThreadSettings()
    /// The path of a table of extensions in the form of `/etc/mime.types`.
    package var typeTable = "/etc/mime.types"
    /// `metrics.*`.
    package var metrics = MetricsSettings()
    /// `console.*`.
    package var console = ConsoleConfiguration()
    /// `backup.s3.*`.
    package var s3 = S3Configuration("backup.s3")
    /// `backup.*`, except `backup.s3.*`.
    package var backup = BackupConfiguration()
    /// `blobs.*`, except `blobs.threads`.
    package var blobs = BlobConfiguration()
    /// The minimum level of log lines.
    package var logLevel = Logger.Level.info
    /// The format of log lines.
    package var logFormat = LogFormat.auto
    /// The maximum bytes of log lines that wait to be written.
    package var logBuffer = 1 << 20
    /// The configured apps; if empty, the server creates an app at its first start and stores it in the storage folder.
    package var apps: [AppConfiguration] = []
    /// What the operator must know about the sources of the settings, for the log and the greeting.
    package var warnings: [String] = []
    /// The settings that differ from their defaults, with their values as they were written; secrets without theirs.
    package var changes: [SettingChange] = []
    /// All settings with their values, without secrets.
    var settingsInForce: [SettingInForce] = []

    /// Creates a configuration with the defaults.
    package init() {}

    /// The certificate of encrypted connections.
    package struct TLSSettings: Sendable {
        /// The path of the certificates in PEM, the server's own first; `nil` for connections in the clear.
        package var certificate: String?
        /// The path of the private key of the first certificate in PEM.
        package var key: String?
        /// The port of the listener that sends clients without TLS to the encrypted one; 0 for none.
        package var redirectPort = 0

        /// The paths of both files.
        struct Files: Sendable {
            let certificate: String
            let key: String
        }

        /// The files; `nil` for connections in the clear.
        var files: Files? {
            guard let certificate, let key else { return nil }
            return Files(certificate: certificate, key: key)
        }
    }

    /// Which file URLs need a signature; apps can have other values.
    package struct PrivacySettings: Sendable {
        /// Which file URLs need one.
        package var access = FileAccess.public
        /// Which image URLs need one.
        package var images = ImageAccess.any
        /// The minimum life in seconds of the signed URLs in records.
        package var life = 86_400
        /// The keys, the first of which signs; empty means a key derived from each app's master key.
        package var keys: [Secret] = []

        /// Parses keys: 16 to 256 visible ASCII characters each, separated by commas with blanks around them; `nil` for
        /// other texts.
        static func keys(_ text: String) -> [Secret]? {
            let keys = text.split(separator: ",", omittingEmptySubsequences: false).map { part -> String in
                var key = part.drop { $0 == " " }
                while key.last == " " { key.removeLast() }
                return String(key)
            }
            guard keys.count <= URLSignatures.maxKeys,
                keys.allSatisfy({ 16...256 ~= $0.utf8.count && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } })
            else { return nil }
            return keys.map { Secret($0) }
        }
    }

    /// The timeouts and limits of connections.
    package struct HTTPSettings: Sendable {
        /// Seconds in which a connection must send a part of a request, or begin one.
        package var idleTimeout = 60
        /// Seconds for which the server serves after SIGTERM, while `/ready` says that it stops.
        package var drainTime = 0
        /// Seconds that running requests have to finish after that.
        package var shutdownTimeout = 30
        /// The maximum number of open connections; 0 means as many as the limit of open files allows, up to 10 000.
        package var maxConnections = 0
        /// The maximum number of open connections of one client address; 0 means no limit.
        package var maxConnectionsPerAddress = 1000
        /// Whether JSON responses are compressed for clients that accept it.
        package var compression = true
        /// The reverse proxies that are believed when they name a client.
        package var proxies = TrustedProxies()
    }

    /// The number of threads for each kind of blocking work.
    package struct ThreadSettings: Sendable {
        /// Images rendered at the same time; 0 means the number of cores.
        package var images = 0
        /// Images that wait beyond ``images``; further requests are refused with 429.
        package var imageQueue = 256
        /// The maximum memory in bytes of all images rendered at the same time.
        package var imageMemory = 512 << 20
        /// Worker processes at the same time, for formats whose libraries are not fuzzed.
        package var imageWorkers = 2
        /// The maximum memory of each worker process in bytes.
        package var imageWorkerMemory = 512 << 20
        /// Passwords hashed at the same time.
        package var passwords = 2
        /// Passwords that wait beyond ``passwords``; further requests are refused with 429.
        package var passwordQueue = 256
        /// The base-2 logarithm of scrypt's N: each running hash takes 1 KiB times N of memory.
        package var passwordCost = 15
        /// Files fetched from other servers at the same time.
        package var fetches = 4
        /// Fetches that wait beyond ``fetches``; further requests are refused with 429.
        package var fetchQueue = 64
        /// Fetches for guests at the same time, at most ``fetches``.
        package var guestFetches = 2
        /// Fetches for guests that wait beyond ``guestFetches``, at most ``fetchQueue``.
        package var guestFetchQueue = 32
        /// Files fetched from the origins of mirrors at the same time, for all apps together.
        package var mirror = 8
        /// Such fetches that wait beyond ``mirror``; further requests are refused with 429.
        package var mirrorQueue = 256
        /// Blob reads and writes at the same time, for all apps together.
        package var disk = 16
        /// Requests to the store of ``BlobConfiguration/store`` and reads of its cache at the same time, for all apps
        /// together.
        package var blobs = 32
        /// Database queries at the same time, for each app.
        package var databaseReaders = 4
        /// Bytes of pages that each database connection caches.
        package var databaseCache = 16 << 20
        /// Bytes of rows of objects that are cached for reads by id, for each app; 0 for no cache.
        package var rowCache = 16 << 20
    }

    /// The URL that verifies third-party log-ins.
    package struct VerifierSettings: Sendable {
        /// An http or https URL; with `nil`, `authData` of clients is not verified.
        package var url: String?
        /// Seconds for one request.
        package var timeout = 5
    }

    /// Live queries.
    package struct LiveQuerySettings: Sendable {
        /// Whether clients can subscribe.
        package var enabled = true
        /// The limits.
        package var limits = LiveQueryLimits()
    }

    /// The endpoint for Prometheus.
    package struct MetricsSettings: Sendable {
        /// Whether `/metrics` is served.
        package var enabled = true
        /// The host to listen on.
        package var host = "127.0.0.1"
        /// The port to listen on, up to 65535; 0 for a free one.
        package var port = 9464
        /// Whether master keys show the figures and settings of the whole server.
        package var masterKey = MasterKeyUse.auto
    }

    /// Whether the owner of an app sees what concerns the whole server (`metrics.masterKey`).
    package enum MasterKeyUse: String, Sendable, CaseIterable {
        /// If the server has no other app.
        case auto
        case on
        case off
    }

    /// The beginning of file URLs.
    package var fileURLBase: String {
        if let publicURL { return publicURL }
        let name = ["0.0.0.0", "::", "[::]"].contains(host) ? "localhost" : host
        return "\(tls.files == nil ? "http" : "https")://\(name.contains(":") ? "[\(name)]" : name):\(port)"
    }

    /// The maximum bytes of images that are served from memory, for all apps together.
    package var servedImageMemory: Int { threads.imageMemory / 4 }

    /// The maximum bytes of files from other servers in memory, for all apps together.
    ///
    /// Enough for the largest files that are fetched at the same time, and for the same number that wait for the disk.
    package var fetchedMemory: Int {
        max(64 << 20, 2 * threads.fetches * Int(clamping: images.limits.sourceSize))
    }

    /// The limits of bodies, fields and parts, adjusted so that the body of the largest object can contain all its
    /// values.
    package var wireLimits: WireLimits {
        var limits = wire
        // The shortest value takes a digit and a comma.
        limits.jsonValues = max(wire.jsonValues, objects.objectSize / 2 + 1000)
        limits.masterJSONValues = max(limits.jsonValues, objects.masterObjectSize / 2 + 1000)
        return limits
    }

    /// The running and waiting fetches for guests, at most as many as for other callers.
    package var guestFetches: (threads: Int, queue: Int) {
        (min(threads.guestFetches, threads.fetches), min(threads.guestFetchQueue, threads.fetchQueue))
    }

    /// The threads for the store of `blobs.store`; one that is not used without it.
    package var blobThreads: Int { blobs.store == nil ? 1 : threads.blobs }

    /// The threads for the origins of mirrors; 0 if no app has a mirror.
    package var mirrorThreads: Int {
        mirror.origin == nil && apps.allSatisfy { $0.mirrorOrigin == nil } ? 0 : threads.mirror
    }
}
