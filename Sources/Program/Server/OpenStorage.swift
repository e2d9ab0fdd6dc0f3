internal import Domain
internal import Logging
internal import Storage

/// The opened and checked storage folder, and the apps that the server has.
struct OpenStorage: ~Copyable {
    let folder: StorageFolder
    /// The app that this start or an earlier one created; `nil` if apps are configured.
    let generated: GeneratedApp?
    /// The settings of the apps, at least one.
    let apps: [AppConfiguration]
    /// The warnings for the operator, which are in the log already.
    let warnings: [String]
    let descriptors: DescriptorBudget
    let probe: StorageProbe
    let reserve: StorageReserve
    let health: StorageHealth
    /// How other servers know this one.
    let identity: ServerIdentity

    /// Opens or creates the folder, and decides which apps the server has.
    ///
    /// - Throws: ``ExitError`` if the folder, the created app or the limit of open files cannot be used.
    init(_ configuration: ServerConfiguration, logger: Logger) throws {
        let folder = try StorageFolder(path: configuration.storage)
        try folder.refuseUnfinishedRestore()
        let generated = configuration.apps.isEmpty ? try GeneratedApp(in: folder) : nil
        let leftApp = generated == nil ? GeneratedApp.warning(in: folder, beside: configuration.apps) : nil
        // Its owner can have added styles, which the validation of settings has not checked.
        let faults = generated?.configuration.styleFaults(against: configuration.images.limits) ?? []
        guard faults.isEmpty else { throw ExitError.settings(faults) }
        let apps = generated.map { [$0.configuration] } ?? configuration.apps
        let warnings = configuration.warnings + [leftApp].compactMap(\.self) + configuration.warnings(for: apps)
        for warning in warnings { logger.warning("\(warning)") }
        let descriptors = try DescriptorBudget(
            limit: DescriptorBudget.raiseLimit(),
            for: configuration,
            apps: apps.count
        )

        let reserve = try StorageReserve(in: folder, size: configuration.reserve)
        probe = StorageProbe(in: folder, minFree: configuration.minFree)
        health = StorageHealth(inspector: reserve, logger: logger, onReport: StorageWatch.count)
        // On a full disk this check releases the reserve, because the databases need space to open.
        health.look()
        // After it, because a new folder needs space, and before the first database is opened.
        TemporaryFiles.keep(in: folder, logger: logger)
        // Only servers with a bucket have others beside them.
        identity = configuration.blobs.store == nil ? ServerIdentity() : folder.identity()

        // The compiler requires that nothing throws once a property of a type without copies is set.
        self.folder = folder
        self.generated = generated
        self.apps = apps
        self.warnings = warnings
        self.descriptors = descriptors
        self.reserve = reserve
    }
}
