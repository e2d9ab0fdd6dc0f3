internal import Logging
internal import NIOPosix
internal import ServiceLifecycle
internal import UnixSignals

/// Reads the certificate and the log level again at each SIGHUP, and logs which other settings have changed.
struct ReloadSignal: Service {
    /// The certificate; `nil` if connections are not encrypted.
    let certificate: ServerCertificate?
    /// The level to change.
    let logLevel: SharedLogLevel
    /// The settings in force.
    let configuration: ServerConfiguration
    /// Reads the settings again; `nil` if they have no source.
    let settings: (@Sendable () throws -> ServerConfiguration)?
    /// The signals, trapped before the files were read for the first time; those of the start wait for ``run()``.
    let signals: UnixSignalsSequence
    /// Threads for reading.
    let pool: NIOThreadPool
    let logger: Logger

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() {
            await reload()
        }
    }

    /// Reads both; what cannot be read stays as it is.
    func reload() async {
        if let certificate {
            do {
                try await pool.runIfActive { [logger] in try certificate.reload(logger: logger) }
            } catch {
                logger.error("SIGHUP: the certificate of before stays.", metadata: ["error": "\(error)"])
            }
        } else {
            logger.notice("SIGHUP: there is no certificate to read again.")
        }
        guard let settings else { return }
        do {
            let new = try await pool.runIfActive { try settings() }
            let changed = configuration.names(changedIn: new).filter { $0 != "log.level" }
            if !changed.isEmpty {
                logger.warning(
                    "SIGHUP: changed settings have no effect before a restart.",
                    metadata: ["settings": .array(changed.map { "\($0)" })]
                )
            }
            let level = new.logLevel
            guard level != logLevel.value else { return }
            // The line is written with every old and new level.
            logLevel.value = min(level, logLevel.value, .notice)
            logger.notice("SIGHUP: log.level has changed.", metadata: ["log.level": "\(level)"])
            logLevel.value = level
        } catch {
            logger.error("SIGHUP: the settings of before stay.", metadata: ["error": "\(error)"])
        }
    }
}
