internal import Glibc
internal import HTTPAPI
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Storage
internal import Synchronization

/// The certificate and the key with which connections are encrypted, read from their files.
///
/// A reload changes what new connections get; open ones keep the certificate with which they began.
final class ServerCertificate: Sendable {
    private let settings: ServerConfiguration.TLSSettings.Files
    private let protocols: [String]
    private let current: Mutex<(context: NIOSSLContext, end: Int)>

    /// The time before a certificate's end from which the log warns.
    private static let warningDays = 14
    /// The maximum bytes of a buffer that a connection keeps between two writes.
    private static let keptBuffer = 16 << 10

    /// Reads the files; blocks.
    ///
    /// - Parameters:
    ///   - settings: The files.
    ///   - hasHTTP2: Whether clients can choose HTTP/2.
    ///   - logger: Receives the end of the certificate.
    /// - Throws: ``ExitError`` naming the setting and what is wrong with its file.
    init(_ settings: ServerConfiguration.TLSSettings.Files, hasHTTP2: Bool, logger: Logger) throws {
        self.settings = settings
        protocols = (hasHTTP2 ? ["h2"] : []) + ["http/1.1"]
        current = Mutex(try ServerCertificate.read(settings, protocols, logger))
    }

    /// Reads the files again; blocks.
    ///
    /// - Throws: As at the start; the certificate of before stays then.
    func reload(logger: Logger) throws {
        let new = try ServerCertificate.read(settings, protocols, logger)
        current.withLock { $0 = new }
    }

    /// The time at which the certificate of new connections ends, in seconds since 1970.
    var end: Int { current.withLock(\.end) }

    /// How the listener encrypts connections.
    func encryption(threads: NIOThreadPool) -> Encryption {
        var configuration = NIOSSLHandler.Configuration()
        // Otherwise an idle connection keeps the memory of its largest write.
        configuration.maximumPreservedOutboundBufferCapacity = ServerCertificate.keptBuffer
        return Encryption(threads: threads, isTruncation: isTruncation) { [self, configuration] in
            NIOSSLServerHandler(
                context: current.withLock(\.context),
                customVerificationCallback: nil,
                configuration: configuration
            )
        }
    }

    private let isTruncation: @Sendable (any Error) -> Bool = { error in
        if case NIOSSLError.uncleanShutdown = error { true } else { false }
    }

    private static func read(
        _ settings: ServerConfiguration.TLSSettings.Files,
        _ protocols: [String],
        _ logger: Logger
    ) throws -> (context: NIOSSLContext, end: Int) {
        let chain = try reading("tls.certificate", settings.certificate, "certificates in PEM") {
            try NIOSSLCertificate.fromPEMFile(settings.certificate)
        }
        guard let own = chain.first else {
            throw ExitError.configuration("tls.certificate: \(settings.certificate) contains no certificate")
        }
        let key = try reading("tls.key", settings.key, "a private key in PEM without a password") {
            try NIOSSLPrivateKey(file: settings.key, format: .pem)
        }
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        // Earlier versions are deprecated by RFC 8996.
        tls.minimumTLSVersion = .tlsv12
        // Of TLS 1.2 only what RFC 9325 recommends: forward secrecy and authenticated encryption.
        tls.cipherSuites = "ECDHE+AESGCM:ECDHE+CHACHA20"
        tls.applicationProtocols = protocols
        // Many clients never confirm the end of a connection, and a server that stops waits for all of them.
        tls.shutdownTimeout = .seconds(1)
        guard let context = try? NIOSSLContext(configuration: tls) else {
            throw ExitError.configuration(
                "tls.key: \(settings.key) is not the key of the first certificate in \(settings.certificate)"
            )
        }
        report(own, logger)
        return (context, Int(own.notValidAfter))
    }

    private static func reading<Value>(
        _ setting: String,
        _ path: String,
        _ content: String,
        _ body: () throws -> Value
    ) throws -> Value {
        // NIOSSL has one error for a missing file and for a malformed one.
        guard access(path, R_OK) == 0 else {
            throw ExitError.configuration("\(setting): \(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        do {
            return try body()
        } catch {
            throw ExitError.configuration("\(setting): \(path) does not contain \(content)")
        }
    }

    private static func report(_ certificate: NIOSSLCertificate, _ logger: Logger) {
        let seconds = Int(certificate.notValidAfter - time(nil))
        let days = seconds / 86_400
        let isEnding = days < warningDays
        logger.log(
            level: isEnding ? .warning : .info,
            seconds <= 0
                ? "The certificate has ended."
                : isEnding ? "The certificate ends soon; renew it." : "The certificate is loaded.",
            metadata: ["tls.daysLeft": "\(max(0, days))"]
        )
    }
}
