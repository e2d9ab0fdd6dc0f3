internal import Domain
internal import Glibc
internal import HTTPAPI
internal import Storage

/// Divides the process's descriptors between caches, connections and other uses, so that none of them runs out.
///
/// A quarter is for caches of open files, with those of idle uploads, and a reserve for databases, listeners, processes
/// and event loops. Of the rest each connection has two: its socket and the file that it uploads or downloads. With
/// HTTP/2 an eighth of the rest is for the files of further requests at once on connections (``StreamLimit``).
struct DescriptorBudget: Equatable {
    /// The maximum number of open connections.
    let connections: Int
    /// The maximum number of requests of HTTP/2 beside another one of their connection.
    let streams: Int
    /// The maximum number of open files in each cache: each app has one cache for blobs and one for derivatives.
    let openFiles: Int
    /// The maximum number of files that prepared responses of downloads keep open.
    let hotFiles: Int
    /// The maximum number of uploads of each app that no request uses and whose bytes are open.
    let idleUploads: Int

    /// The default maximum number of connections, because each takes some memory.
    static let defaultConnections = 10_000
    /// The minimum number of connections with which the server starts.
    static let fewestConnections = 16

    /// The maximum number of connections that are WebSockets, which are not closed when others need connections.
    var webSockets: Int { connections / 8 * 7 }

    /// The maximum number of connections of one client address.
    ///
    /// - Parameter setting: `http.maxConnectionsPerAddress`; 0 means no limit.
    /// - Returns: The setting, or half of all connections if that is less, so that one address cannot have all.
    func connectionsPerAddress(_ setting: Int) -> Int {
        setting == 0 ? 0 : min(setting, max(1, connections / 2))
    }

    /// Divides the descriptors.
    ///
    /// - Parameters:
    ///   - limit: How many the process may have.
    ///   - configuration: Its bounds hold where there are enough.
    ///   - apps: How many apps there are.
    /// - Throws: ``ExitError`` if there are too few.
    init(limit: Int, for configuration: ServerConfiguration, apps: Int) throws {
        let threads = configuration.threads
        // An SQLite connection has its file and its log; a worker process has pipes, a fetch a socket and a file.
        let files = 2 * (threads.databaseReaders + 1) + 6
        let isShared = !configuration.databaseURL.revealed.isEmpty
        let databases = isShared ? configuration.databaseConnections(apps: apps) : apps * files
        let work =
            threads.disk + 8 * threads.imageWorkers + 2 * threads.fetches + 2 * threads.images
            + 2 * configuration.mirrorThreads
            // A reader's request has a socket and a file of the cache, each other one a socket.
            + (configuration.blobs.store == nil ? 0 : 3 * threads.blobs)
        let redirects = configuration.tls.redirectPort > 0 ? RedirectEndpoint.maxConnections : 0
        let reserve = 64 + databases + work + redirects
        let caches = limit / 4
        // Most of them are in the other caches, too.
        hotFiles = min(configuration.hotDownloads.files, caches / 8)
        idleUploads = min(UploadService.maxOpenIdle, caches / 4 / max(1, apps))
        let uploads = apps * idleUploads
        openFiles = min(configuration.downloads.openBlobs, (caches - hotFiles - uploads) / (2 * max(1, apps)))
        let wanted = configuration.http.maxConnections
        let rest = limit - reserve - 2 * apps * openFiles - hotFiles - uploads
        let hasHTTP2 = configuration.tls.files != nil && configuration.http2.isEnabled
        func streamShare(of rest: Int) -> Int { hasHTTP2 ? max(1, rest / 8) : 0 }
        streams = streamShare(of: rest)
        connections = min(wanted > 0 ? wanted : DescriptorBudget.defaultConnections, (rest - streams) / 2)
        let fewest = min(DescriptorBudget.fewestConnections, wanted > 0 ? wanted : .max)
        guard connections >= fewest else {
            var needed = 2 * fewest
            while needed - streamShare(of: needed) < 2 * fewest { needed += 1 }
            let cachedOfApp = 2 * configuration.downloads.openBlobs + UploadService.maxOpenIdle
            let mostCached = configuration.hotDownloads.files + apps * cachedOfApp
            let least = DescriptorBudget.leastLimit(for: reserve + needed, cachesUpTo: mostCached)
            throw ExitError.configuration(
                "the limit of open files is \(limit), which is too low; set it to \(least) or more (ulimit -n, LimitNOFILE)"
            )
        }
    }

    /// The least limit that leaves a number of descriptors beside caches; each larger one does, too.
    ///
    /// - Parameters:
    ///   - others: How many are for everything else.
    ///   - most: How many the caches can have; they take a quarter of the limit if that is less.
    /// - Returns: The limit.
    private static func leastLimit(for others: Int, cachesUpTo most: Int) -> Int {
        // The least n with n - n / 4 >= others.
        let withFewCached = (4 * others - 4) / 3 + 1
        return min(withFewCached, others + most)
    }

    /// The limits of prepared responses with the number of files that the budget leaves for them.
    func bounded(_ limits: HotDownloadLimits) -> HotDownloadLimits {
        var limits = limits
        limits.files = hotFiles
        return limits
    }

    /// Raises the soft limit of open files to the hard limit, and returns the result.
    static func raiseLimit() -> Int {
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return 1024 }
        let former = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        let isRaised = setrlimit(files, &limit) == 0
        return Int(clamping: isRaised ? limit.rlim_cur : former)
    }
}
