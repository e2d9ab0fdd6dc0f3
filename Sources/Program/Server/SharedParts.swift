internal import CurlFetch
internal import Domain
internal import Logging
internal import MagicTypes
internal import PasswordHashes
internal import Storage
internal import VipsMedia

/// The parts that all apps of a server share: threads, admissions, and adapters that belong to no app.
struct SharedParts {
    let configuration: ServerConfiguration
    let logger: Logger
    let health: StorageHealth
    let pools: ThreadPools
    let descriptors: DescriptorBudget
    let types: any TypeDetector
    let fetchers: Fetchers
    /// Fetches for all callers except guests.
    let fetches: CurlFetcher
    /// Fetches for guests.
    let guestFetches: CurlFetcher
    /// Fetches from the origins of mirrors.
    let mirrorFetches: CurlFetcher
    let images: ImageEngine
    /// The bucket with blobs; `nil` without `blobs.store`.
    let blobs: BlobEngine?
    let censorship: CensorEngine
    /// Sends mails; `nil` without `mail.server`.
    let mail: MailEngine?
    /// Sends SMS; `nil` without `sms.provider` and `sms.fixedNumbers`.
    let sms: SMSEngine?
    /// How other servers know this one.
    let identity: ServerIdentity
    let passwords: PasswordPool
    let keyClaims = KeyClaims()
    let requestLimits: RequestLimits
    /// The durations of the transactions of all databases.
    let commits = DurationHistogram(.accesses)

    /// Constructs the parts on started threads.
    ///
    /// - Throws: ``ExitError`` if the tables of media types or a template cannot be read, and errors of starting
    ///   libvips.
    init(
        _ configuration: ServerConfiguration,
        _ logger: Logger,
        _ health: StorageHealth,
        _ pools: ThreadPools,
        _ descriptors: DescriptorBudget,
        _ identity: ServerIdentity
    ) throws {
        self.configuration = configuration
        self.identity = identity
        self.logger = logger
        self.health = health
        self.pools = pools
        self.descriptors = descriptors
        requestLimits = RequestLimits(configuration.requestLimits)
        images = try ImageEngine(configuration, pools, requestLimits)
        blobs = try BlobEngine(configuration, pools, health, identity)
        let threads = configuration.threads
        passwords = PasswordPool(
            cost: threads.passwordCost,
            pool: pools.passwords,
            threads: threads.passwords,
            queue: threads.passwordQueue
        )
        types = try SharedParts.typeDetector(configuration, pools)
        (fetches, guestFetches) = SharedParts.fetchers(configuration, pools)
        fetchers = Fetchers(fetches, guests: guestFetches)
        mirrorFetches = SharedParts.mirrorFetcher(configuration, pools)
        censorship = CensorEngine(configuration, pools)
        mail = try MailEngine(configuration, pools)
        sms = try SMSEngine(configuration, pools, requestLimits, logger)
    }

    /// The queues whose requests only this server delays; those of fetches also wait for other servers.
    ///
    /// A queue that one client fills is no obstacle: it still has a place for every other client.
    var queues: [(obstacle: Readiness.Obstacle, isFull: @Sendable () -> Bool)] {
        [
            (.imageQueue, { [images] in images.admission.refusesNewRequesters }),
            (.passwordQueue, { [passwords] in passwords.refusesNewCallers }),
        ]
    }

    /// Creates the fetcher of mirrors, whose threads and queue no other fetch uses.
    private static func mirrorFetcher(_ configuration: ServerConfiguration, _ pools: ThreadPools) -> CurlFetcher {
        var limits = configuration.fetching
        limits.size = configuration.mirror.size
        limits.timeout = configuration.mirror.timeout
        return CurlFetcher(
            limits: limits,
            addresses: AddressGuard(allowedNetworks: configuration.fetchNetworks),
            pool: pools.mirror,
            limit: max(1, configuration.mirrorThreads) + configuration.threads.mirrorQueue,
            setting: "mirror.maxQueued"
        )
    }

    /// Creates the detector of media types by libmagic's database and the table of extensions.
    private static func typeDetector(
        _ configuration: ServerConfiguration,
        _ pools: ThreadPools
    ) throws -> any TypeDetector {
        do {
            return try MagicTypeDetector(table: configuration.typeTable, pool: pools.disk)
        } catch {
            throw ExitError.storage(
                "the table of media types \(configuration.typeTable) or libmagic's database cannot be read; "
                    + "install the packages media-types and libmagic-mgc, or set uploads.typeTable"
            )
        }
    }

    /// Creates the fetchers; fetches for guests have separate threads and a separate queue.
    private static func fetchers(
        _ configuration: ServerConfiguration,
        _ pools: ThreadPools
    ) -> (CurlFetcher, guests: CurlFetcher) {
        var limits = configuration.fetching
        limits.size = min(limits.size, configuration.uploads.fileSize)
        let addresses = AddressGuard(allowedNetworks: configuration.fetchNetworks)
        let threads = configuration.threads
        let guests = configuration.guestFetches
        return (
            CurlFetcher(
                limits: limits,
                addresses: addresses,
                pool: pools.fetches,
                limit: threads.fetches + threads.fetchQueue,
                setting: "fetch.maxQueued"
            ),
            guests: CurlFetcher(
                limits: limits,
                addresses: addresses,
                pool: pools.guestFetches,
                limit: guests.threads + guests.queue,
                setting: "fetch.maxQueuedGuests"
            )
        )
    }
}
