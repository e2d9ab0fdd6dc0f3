internal import Domain
internal import Glibc
internal import Storage

/// How the files and connections that a process may have open are shared out, so that none of them takes the last one.
///
/// A quarter is for caches of open files, a reserve for databases, listeners, processes and event loops, and of the
/// rest each connection has two: its own and the file that it uploads or downloads.
struct DescriptorBudget: Equatable {
    /// The most connections that are open at once.
    let connections: Int
    /// The most files that each cache keeps open: each app has one for blobs and one for derivatives.
    let openFiles: Int

    /// The most connections if nothing else is set: each takes some memory, however many descriptors there are.
    static let defaultConnections = 10_000
    /// With fewer a server is of no use.
    static let fewestConnections = 16

    /// Shares out the descriptors.
    ///
    /// - Parameters:
    ///   - limit: How many the process may have.
    ///   - configuration: Its bounds hold where there are enough.
    ///   - apps: How many apps there are.
    /// - Throws: ``ExitError`` if there are too few.
    init(limit: Int, for configuration: ServerConfiguration, apps: Int) throws {
        let threads = configuration.threads
        // Of SQLite each connection has its file and its log; a worker has pipes, a fetch a socket and a file.
        let databases = apps * (2 * (threads.databaseReaders + 1) + 6)
        let work = threads.disk + 8 * threads.imageWorkers + 2 * threads.fetches + 2 * threads.images
        let reserve = 64 + databases + work
        openFiles = min(configuration.downloads.openBlobs, limit / 4 / (2 * max(1, apps)))
        let wanted = configuration.http.maxConnections
        let rest = limit - reserve - 2 * apps * openFiles
        connections = min(wanted > 0 ? wanted : DescriptorBudget.defaultConnections, rest / 2)
        guard connections >= min(DescriptorBudget.fewestConnections, wanted > 0 ? wanted : .max) else {
            let least = limit - rest + 2 * DescriptorBudget.fewestConnections
            throw ExitError.configuration(
                "the limit of open files is \(limit), which is too low; set it to \(least) or more (ulimit -n, LimitNOFILE)"
            )
        }
    }

    /// Raises the limit of open files to the most that the system grants; tells what it is then.
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
