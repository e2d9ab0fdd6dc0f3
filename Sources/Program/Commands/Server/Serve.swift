internal import ArgumentParser
internal import FoundationEssentials
internal import Server
internal import Storage

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server until SIGTERM or SIGINT.",
        discussion: """
            These flags override LCFILE_… environment variables, variables override the configuration file, the file \
            overrides the defaults. The first start without configured apps creates an app and prints its keys.

            Examples:
              lcfile serve
              lcfile serve --config /etc/lcfile.yaml --storage /var/lib/lcfile --host 0.0.0.0
              lcfile serve --storage other --port 8081 --metrics-port 9465     # a second server
            """
    )

    @Option(
        help: "The configuration file. Default: config/lcfile.yaml if it exists.",
        completion: .file(extensions: ["yaml", "yml"])
    )
    var config: String?

    @Option(help: "The storage folder, with databases and files.", completion: .directory)
    var storage: String?

    @Option(help: "The address to listen on; 127.0.0.1 accepts connections from this machine only.")
    var host: String?

    @Option(help: "The port to listen on, 1 to 65535, or 0 for a free one.")
    var port: String?

    @Option(help: "The port of the metrics, 1 to 65535, or 0 for a free one.")
    var metricsPort: String?

    @Option(help: "The photo in the printed upload command.", completion: .file())
    var sample = "photo.jpg"

    func run() async throws {
        do {
            let flags = ["storage": storage, "host": host, "port": port, "metrics.port": metricsPort]
            let loader = ConfigurationLoader(
                flags: flags.compactMapValues { $0 },
                environment: ProcessInfo.processInfo.environment,
                file: config ?? defaultFile
            )
            let server = LCFileServer(configuration: try loader.load()) { try loader.load() }
            try await server.run { [sample] greeting in
                Terminal.printLine(greeting.message(sample: sample))
                if ReadinessNotice(environment: ProcessInfo.processInfo.environment)?.send() == false {
                    Terminal.printError("lcfile: cannot tell systemd that the server is ready (NOTIFY_SOCKET).")
                }
            }
        } catch let error as ExitError {
            Terminal.printError("lcfile: \(error)")
            throw ExitCode(error.exitCode)
        }
    }

    private var defaultFile: String? {
        let path = "config/lcfile.yaml"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }
}
