internal import Domain
internal import S3
internal import Synchronization

/// The servers that share a bucket, and which of them have ended.
///
/// A server renews an object with its id, its *heartbeat*. Only times of the store are compared, so the clocks of the
/// servers can differ.
final class StagingServers: Sendable {
    /// The id of this server, which no other start has.
    let own: String
    /// Servers that have ended for certain, however young their heartbeats are.
    private let known: Set<String>
    private let bucket: StagingBucket
    private let names: StagingNames
    private let heartbeat = Mutex(Heartbeat())

    /// The age of a heartbeat at which a server renews it.
    static let interval = Duration.seconds(15)
    /// The age in seconds at which the others take the server for ended: four intervals, for a store that is slow.
    static let lease: Int64 = 60

    /// The seconds for which a heartbeat stays.
    private static let memory: Int64 = 86_400

    init(own: String, ended known: Set<String> = [], bucket: StagingBucket, names: StagingNames) {
        self.own = own
        self.known = known
        self.bucket = bucket
        self.names = names
    }

    /// Renews this server's heartbeat if it is old; blocks.
    ///
    /// Precedes all that another server must not take for a leftover.
    func renew() throws {
        let start = ContinuousClock.now
        guard heartbeat.withLock({ $0.renewed.map { start - $0 >= StagingServers.interval } ?? true }) else { return }
        try bucket.client.put(names.server(own), bytes: [])
        heartbeat.withLock { $0.renew(from: start, to: .now) }
    }

    /// Whether no other server can have taken this one for ended since a time.
    func isUnbroken(since start: ContinuousClock.Instant) -> Bool {
        heartbeat.withLock { $0.isUnbroken(since: start, at: .now) }
    }

    /// Removes this server's heartbeat, if it has one; blocks.
    func leave() throws {
        try bucket.client.delete([names.server(own)])
        heartbeat.withLock { $0.end() }
    }

    /// The servers among some that have ended; blocks.
    ///
    /// A server without a heartbeat ended long ago. To be called after the list in which the ids were found, because a
    /// server stores its heartbeat before anything else.
    func ended(among ids: Set<String>) throws -> Set<String> {
        let others = ids.subtracting([own])
        guard !others.isEmpty else { return [] }
        // The store's time of now.
        try bucket.client.put(names.server(own), bytes: [])
        let signs = try bucket.objects(names.servers)
        guard let now = signs.first(where: { $0.key == names.server(own) })?.modified else {
            throw S3Error(.unavailable, "the S3 store does not list an object that it has")
        }
        let alive = StagingServers.alive(signs, at: now)
        return others.filter { known.contains($0) || !alive.contains(names.server($0)) }
    }

    /// Whether another server has a heartbeat that is younger than the lease; blocks.
    func othersLive() throws -> Bool {
        let own = names.server(own)
        let ended = Set(known.map(names.server))
        try bucket.client.put(own, bytes: [])
        let signs: [S3Object]
        do {
            signs = try bucket.objects(names.servers)
        } catch {
            // One that stays would look like a server for a minute; the first error is the one that tells more.
            try? bucket.client.delete([own])
            throw error
        }
        try bucket.client.delete([own])
        guard let now = signs.first(where: { $0.key == own })?.modified else {
            throw S3Error(.unavailable, "the S3 store does not list an object that it has")
        }
        return StagingServers.alive(signs, at: now).contains { $0 != own && !ended.contains($0) }
    }

    /// The keys of the heartbeats that are younger than the lease at a time of the store.
    static func alive(_ signs: [S3Object], at now: Int64) -> Set<String> {
        Set(signs.filter { $0.modified > now - lease }.map(\.key))
    }

    /// Removes the heartbeats of servers that ended more than a day ago, or for certain; blocks.
    ///
    /// Without a heartbeat they count as ended as well.
    func removeOld() throws {
        try bucket.client.put(names.server(own), bytes: [])
        let signs = try bucket.objects(names.servers)
        guard let now = signs.first(where: { $0.key == names.server(own) })?.modified else { return }
        let ended = Set(known.map(names.server))
        let old = signs.filter { ended.contains($0.key) || $0.modified < now - StagingServers.memory }
        try bucket.client.delete(old.map(\.key))
    }
}
