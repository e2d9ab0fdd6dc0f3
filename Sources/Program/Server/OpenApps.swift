internal import Domain
internal import HTTPAPI
internal import Storage

/// The opened apps of the server, in the order of ``settings``.
struct OpenApps {
    let settings: [AppConfiguration]
    let parts: [AppParts]
    let services: [AppServices]
    /// The scrubber of each app, and the app's leases.
    let scrubbers: [(app: AppID, leases: Leases, scrubber: Scrubber)]
    /// Shows the other servers that this one lives; `nil` without `blobs.store`.
    let bucketWorkers: BucketWorkers?

    /// The database of each app.
    var databases: [(app: AppID, database: any AppDatabase)] { parts.map { ($0.app.id, $0.database) } }

    /// Opens all apps, and finishes the uploads that an earlier server left with all their bytes.
    ///
    /// - Throws: ``ExitError`` if the folder, the database or the bucket of an app cannot be used; errors of its
    ///   database.
    init(_ storage: borrowing OpenStorage, _ shared: SharedParts) async throws {
        var parts: [AppParts] = []
        var services: [AppServices] = []
        var scrubbers: [(app: AppID, leases: Leases, scrubber: Scrubber)] = []
        for (app, lookups) in zip(storage.apps, shared.pools.lookups) {
            let new = try await AppParts(app, in: storage.folder.folder(of: app.id), shared, lookups: lookups)
            let own = try await new.services()
            parts.append(new)
            services.append(own)
            scrubbers.append((app.id, own.leases, try new.scrubber(own.images)))
        }
        settings = storage.apps
        self.parts = parts
        self.services = services
        self.scrubbers = scrubbers
        bucketWorkers = shared.blobs.map { _ in
            BucketWorkers(buckets: parts.compactMap(\.bucket), logger: shared.logger)
        }
        await finishUploads()
    }

    /// Closes the databases; called when nothing uses them any more.
    func close() async throws {
        for part in parts { try await part.database.close() }
    }

    private func finishUploads() async {
        func finish() async {
            for app in services { await app.uploads.finishRecovered() }
        }
        guard let bucketWorkers else { return await finish() }
        await bucketWorkers.whileAlive { await finish() }
    }
}
