internal import Logging
internal import NIOPosix
internal import ServiceLifecycle
internal import UnixSignals

/// Reads the certificate again at each SIGHUP, which without this service would end the server.
struct ReloadSignal: Service {
    /// The certificate; `nil` if connections are not encrypted.
    let certificate: ServerCertificate?
    /// Threads for reading.
    let pool: NIOThreadPool
    let logger: Logger

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            guard let certificate else {
                logger.notice("SIGHUP: there is no certificate to read again.")
                continue
            }
            do {
                try await pool.runIfActive { [logger] in try certificate.reload(logger: logger) }
            } catch {
                logger.error("SIGHUP: the certificate of before stays.", metadata: ["error": "\(error)"])
            }
        }
    }
}
