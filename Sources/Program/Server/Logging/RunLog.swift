internal import Domain
internal import HTTPAPI
internal import Logging

/// The lines of the log about the run as a whole: what starts with which settings, what limits are in force, why it
/// stops.
struct RunLog: Sendable {
    let logger: Logger

    /// Logs the version, the storage and the settings before anything is opened, so that a failed start has them too.
    func start(_ configuration: ServerConfiguration) {
        var libraries: Logger.Metadata = [:]
        for (name, version) in ProgramVersion.libraries { libraries[name] = "\(version)" }
        var settings: Logger.Metadata = [:]
        for change in configuration.changes { settings[change.name] = "\(change.value)" }
        logger.notice(
            "The server starts",
            metadata: [
                "version": "\(ProgramVersion.number)", "commit": "\(ProgramVersion.commit ?? "unknown")",
                "libraries": .dictionary(libraries), "storage": "\(configuration.storage)",
                "settings": .dictionary(settings),
            ]
        )
    }

    /// Logs the address and the limits that are in force when the server accepts requests.
    func serving(_ configuration: ServerConfiguration, apps: [AppConfiguration], _ descriptors: DescriptorBudget) {
        let threads = configuration.threads
        let rates = configuration.requestLimits
        let limits: Logger.Metadata = [
            "connections": .stringConvertible(descriptors.connections),
            "webSockets": .stringConvertible(descriptors.webSockets),
            "openFiles": .stringConvertible(descriptors.openFiles),
            "uploadBytes": .stringConvertible(configuration.uploads.fileSize),
            "bodyMemoryBytes": .stringConvertible(configuration.wireLimits.bodyMemory),
            "imageMemoryBytes": .stringConvertible(threads.imageMemory),
            "images": .stringConvertible(ImageEngine.limits(threads).workers),
            "passwords": .stringConvertible(threads.passwords),
            "diskThreads": .stringConvertible(threads.disk),
            "databaseReaders": .stringConvertible(threads.databaseReaders),
            "requestsPerMinute": .stringConvertible(rates.requests),
            "userRequestsPerMinute": .stringConvertible(rates.userRequests),
            "appRequestsPerMinute": .stringConvertible(rates.appRequests),
            "uploadsPerMinute": .stringConvertible(rates.uploads),
            "logInsPerMinute": .stringConvertible(rates.logIns),
            "fetchesPerMinute": .stringConvertible(rates.fetches),
            "imageMillisecondsPerMinute": .stringConvertible(rates.imageWork),
        ]
        logger.notice(
            "The server accepts requests",
            metadata: [
                "url": "\(configuration.fileURLBase)",
                "apps": .array(apps.map { "\($0.id)" }),
                "limits": .dictionary(limits),
            ]
        )
    }

    /// Logs that the server begins to stop.
    ///
    /// - Parameter reason: The signal, or the failure.
    func stop(because reason: String) {
        logger.notice("The server stops", metadata: ["reason": "\(reason)"])
    }

    /// Logs why the server could not start, or which failure of a part ends it.
    func failure(_ error: any Error) {
        logger.critical("The server stops", metadata: ["reason": "\(error)"])
    }

    /// Logs that everything is closed.
    func end() {
        logger.notice("The server has stopped")
    }
}
