internal import Synchronization

/// Fetches the files of unknown keys from the file domain that an app had before, once each (docs/mirror.md).
///
/// Requests for one key share one fetch. Keys that the origin does not have, and keys whose fetch failed, are
/// remembered for a while, so that clients cannot make the server ask for them all the time.
package struct MirrorService: Sendable {
    /// The result of a fetch, for metrics.
    package enum Outcome: String, Sendable, CaseIterable {
        case stored
        case notFound = "not_found"
        case failed
    }

    /// The URL before a key, without a slash at its end.
    package let origin: String
    private let settings: MirrorSettings
    private let uploads: UploadService
    private let fetcher: any Fetcher
    private let report: @Sendable (Outcome) -> Void
    private let clock: @Sendable () -> Timestamp
    private let inFlight = SingleFlight<FileKey, ServedFile>()
    private let memory: Memory

    private final class Memory: Sendable {
        let refusals: Mutex<RecentEntries<FileKey, (until: Timestamp, error: ServiceError)>>
        let failed = Atomic(0)

        init(bound: Int) {
            refusals = Mutex(RecentEntries(bound: bound))
        }
    }

    /// Seconds for which a failed key is not fetched again, and after which a client should try again.
    private static let retryAfter = 10

    /// Creates the service of one app.
    ///
    /// - Parameters:
    ///   - origin: The URL before a key, http or https, without a slash at its end.
    ///   - settings: The limits.
    ///   - uploads: Stores the files.
    ///   - fetcher: Has threads of its own, and checks the addresses to which it connects.
    ///   - report: Called after each fetch.
    ///   - clock: Returns the current time.
    package init(
        origin: String,
        settings: MirrorSettings,
        uploads: UploadService,
        fetcher: any Fetcher,
        report: @escaping @Sendable (Outcome) -> Void = { _ in },
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.origin = origin
        self.settings = settings
        self.uploads = uploads
        self.fetcher = fetcher
        self.report = report
        self.clock = clock
        memory = Memory(bound: settings.rememberedKeys)
    }

    /// The file of a key without bytes on this server, fetched now; it is stored before this returns.
    ///
    /// - Parameter key: The key.
    /// - Returns: The file.
    /// - Throws: ``ServiceError/Code/fileNotFound`` if the origin does not have the key, or its file was deleted here;
    ///   ``ServiceError/Code/originFailed``; ``ServiceError/Code/overloaded`` if too many files are fetched;
    ///   ``ServiceError/Code/quotaExceeded`` and errors of the storage.
    package func file(_ key: FileKey) async throws -> ServedFile {
        if let refusal = refusal(of: key) { throw refusal }
        return try await inFlight.value(for: key) { try await fetch(key) }
    }

    private func fetch(_ key: FileKey) async throws -> ServedFile {
        if let file = try await uploads.files.file(key: key) { return ServedFile(file) }
        if try await uploads.files.missing(key: key) == nil, try await uploads.files.isGone(key) {
            throw FileService.notFound
        }
        do {
            let url = try RemoteURL("\(origin)/\(key.description.percentEncodedPath)")
            let record = try await uploads.mirror(key, upTo: settings.size) { sink in
                try await fetcher.fetch(url) { try await sink.append($0) }
            }
            report(.stored)
            return ServedFile(record)
        } catch let error as ServiceError {
            // Another server can have stored the file meanwhile.
            if error.code == .duplicateValue, let file = try await uploads.files.file(key: key) {
                return ServedFile(file)
            }
            throw noted(error, of: key)
        }
    }

    /// The error for the client; remembered unless it is about this server.
    private func noted(_ error: ServiceError, of key: FileKey) -> ServiceError {
        let status = (error.cause as? RefusedStatus)?.status
        if status == 404 || status == 410 || error.code == .fileNotFound {
            report(.notFound)
            remember(FileService.notFound, of: key, for: settings.notFoundTime)
            return FileService.notFound
        }
        guard let reason = MirrorService.reason(of: error, status, settings) else { return error }
        let failure = ServiceError(
            .originFailed,
            "The file cannot be fetched from the origin of the mirror: \(reason)",
            cause: error,
            retryAfter: MirrorService.retryAfter
        )
        report(.failed)
        memory.failed.add(1, ordering: .relaxed)
        remember(failure, of: key, for: MirrorService.retryAfter)
        return failure
    }

    /// The reason for a failure of the origin; `nil` for errors of this server.
    private static func reason(of error: ServiceError, _ status: Int?, _ settings: MirrorSettings) -> String? {
        if let status { return "it answered with status \(status)." }
        return switch error.code {
        case .payloadTooLarge: "it has more than \(settings.size) bytes, the limit (mirror.maxSize)."
        case .timedOut: "it did not arrive in time (mirror.timeout, fetch.minSpeed)."
        case .checksumMismatch: error.message
        case .badRequest: "the origin cannot be reached, or closed the connection too early."
        // Of an import whose server ended while it created the file.
        case .duplicateValue: "an upload that has not ended has left bytes under the key."
        default: nil
        }
    }

    private func remember(_ error: ServiceError, of key: FileKey, for seconds: Int) {
        let until = clock().adding(seconds: seconds)
        memory.refusals.withLock { $0.store((until, error), for: key) }
    }

    private func refusal(of key: FileKey) -> ServiceError? {
        memory.refusals.withLock { refusals in
            guard let refusal = refusals.value(for: key) else { return nil }
            if refusal.until > clock() { return refusal.error }
            refusals.remove(key)
            return nil
        }
    }

    /// How far the move of the files is, for the master key only.
    ///
    /// - Throws: ``ServiceError/Code/masterKeyRequired``.
    package func status(as caller: Caller) async throws -> MirrorStatus {
        try caller.requireMasterKey()
        var status = try await uploads.files.mirrorStatus()
        status.failed = memory.failed.load(ordering: .relaxed)
        return status
    }
}
