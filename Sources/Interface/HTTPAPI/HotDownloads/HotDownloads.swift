package import Domain
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// The prepared responses to the most requested downloads of all apps; thread-safe.
///
/// A target gets responses when it is requested for the second time. They are removed when anything changes that the
/// routes consider: the record of a file on which they depend, a new file whose key is the path, the settings of
/// censorship. The change feed calls before the client gets the response to the change, so no later request gets an
/// outdated response. After ``lifetime`` a target's next request takes the route again, which finds out what the feed
/// cannot tell: that an operator deleted a derivative's file, and that a derivative is in use.
package final class HotDownloads: Sendable {
    private let table: Mutex<HotDownloadTable>
    private let limits: HotDownloadLimits
    private let dates = HTTPDates()
    /// The memory in bytes of responses that sockets have not accepted.
    private let unsent = Atomic(0)
    /// The bytes of ``countSent(_:)``.
    private let sent = Atomic(0)

    /// The time for which responses are used.
    static let lifetime = TimeAmount.seconds(60)

    /// Creates a table that follows the changes of apps.
    ///
    /// - Parameters:
    ///   - limits: The maximum size of the table.
    ///   - feeds: The change feeds of all apps whose downloads are prepared. Subscribe the
    ///     caches of the routes first.
    package init(limits: HotDownloadLimits, feeds: [ChangeFeed]) {
        self.limits = limits
        table = Mutex(HotDownloadTable(limits: limits))
        for feed in feeds { follow(feed) }
    }

    private func follow(_ feed: ChangeFeed) {
        let filters = [
            ChangeFilter(.file, [.created], states: .after),
            ChangeFilter(.file, [.updated, .deleted], states: .before),
            ChangeFilter(.censorSettings),
        ]
        feed.subscribe(to: filters) { [weak self] event in
            guard case .changes(let changes) = event, changes.allSatisfy({ $0.className == .file }) else {
                self?.removeAll()
                return
            }
            do {
                self?.remove(try changes.compactMap { try ($0.before ?? $0.after)?.object().fileKey?.description })
            } catch {
                self?.removeAll()
            }
        }
    }

    /// The number of targets with responses, and the memory of the responses with its limit.
    package var status: (targets: Int, memory: MemoryStatus) {
        let (targets, memory) = table.withLock { ($0.count, $0.memory) }
        return (targets, MemoryStatus(used: memory, limit: limits.memory))
    }

    /// The responses to a target; `nil` if there are none.
    func find(_ target: String, at now: NIODeadline = .now()) -> HotDownload? {
        let (download, outdated) = table.withLock { $0.find(target, at: now) }
        withExtendedLifetime(outdated) {}
        guard let download, download.isDamaged else { return download }
        remove(target: target)
        return nil
    }

    /// The maximum size in bytes of a body in memory.
    var longestBody: Int64 { min(HotDownload.longestInMemory, Int64(limits.memory / 4)) }

    /// Whether clients that read slowly hold as much memory as the table is allowed to have.
    ///
    /// Routes then send the bytes, with `sendfile`, and take no memory for them.
    var isCongested: Bool { unsent.load(ordering: .relaxed) > limits.memory }

    /// Counts the memory of a response that its socket has not accepted at once; negative when it has.
    func pending(_ size: Int) {
        unsent.wrappingAdd(size, ordering: .relaxed)
    }

    /// Counts the bytes of a body that is sent from memory or from its file, whichever is faster.
    ///
    /// - Parameter size: Their number.
    /// - Returns: Those of all such bodies so far.
    func countSent(_ size: Int) -> Int {
        sent.wrappingAdd(size, ordering: .relaxed).newValue
    }

    /// The current time as the value of `Date`.
    var date: String { dates.now }

    /// Decides whether the response to a request is to be prepared for the next requests.
    ///
    /// Call it before the route reads anything on which the response depends.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - names: The keys of all files that its path can mean.
    /// - Returns: `nil` if nothing is prepared.
    func preparation(of request: Request, names: () -> [String]) -> HotDownloadPreparation? {
        guard request.method == .get, let target = request.head.path, target.utf8.first == UInt8(ascii: "/"),
            target.utf8.allSatisfy({ $0 < 0x80 }), let epoch = table.withLock({ $0.epochIfWanted(target) })
        else { return nil }
        return HotDownloadPreparation(
            target: target,
            path: request.uri.path.withoutToken,
            names: names(),
            epoch: epoch,
            in: self
        )
    }

    /// Stores responses, unless a file on which they depend changed since the epoch: the route could have read the state
    /// before the change.
    func store(_ download: HotDownload, for target: String, dependingOn names: [String], epoch: Int) {
        let expiry = NIODeadline.now() + HotDownloads.lifetime
        change { $0.store(HotDownloadTable.Entry(download: download, names: names, expiry: expiry), target, epoch) }
    }

    /// Removes the responses that depend on these keys or paths.
    private func remove(_ names: [String]) {
        change { $0.remove(dependingOn: names) }
    }

    /// Removes the responses to a target whose bytes cannot be read.
    func remove(target: String) {
        change { $0.remove(target) }
    }

    private func removeAll() {
        change { $0.removeAll() }
    }

    /// Removed entries are released after the lock: closing the last reference to a deleted file can be slow.
    private func change(_ body: (inout HotDownloadTable) -> HotDownloadTable.Removed) {
        let removed = table.withLock { body(&$0) }
        withExtendedLifetime(removed) {}
    }
}

/// The maximum size of the table of prepared responses; all are settings.
package struct HotDownloadLimits: Sendable {
    /// The maximum number of targets with responses; 0 prepares none.
    package var responses: Int
    /// The maximum memory in bytes of all responses, with the bodies that they have in memory.
    package var memory: Int
    /// The maximum number of files that responses keep open.
    package var files: Int

    /// Creates limits; the defaults are those of the settings.
    package init(responses: Int = 4096, memory: Int = 32 << 20, files: Int = 256) {
        self.responses = responses
        self.memory = memory
        self.files = files
    }
}
