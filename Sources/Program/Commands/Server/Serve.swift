internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
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
              lcfile serve --config /etc/lcfile.yaml --storage /var/lib/lcfile \\
                --host 0.0.0.0
              lcfile serve --storage other --port 8081 --metrics-port 9465
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

    func validate() throws {
        let flags = [
            ("--config", config), ("--storage", storage), ("--host", host), ("--port", port),
            ("--metrics-port", metricsPort),
        ]
        // Usually an unset variable of a script; the value of another source is not what the operator means.
        for (name, value) in flags where value == "" { throw ValidationError("\(name) must not be empty.") }
    }

    func run() async throws {
        // Until the server traps it, it must not end the process. What a reload reads again is read after this.
        signal(SIGHUP, SIG_IGN)
        let flags = ["storage": storage, "host": host, "port": port, "metrics.port": metricsPort]
        let loader = ConfigurationLoader(
            flags: flags.compactMapValues { $0 },
            environment: ProcessInfo.processInfo.environment,
            file: config ?? Serve.defaultFile
        )
        let server = try await server(loader)
        do {
            try await server.run { [sample] greeting in
                // For people; a server whose output is closed serves.
                Terminal.write(greeting.message(sample: sample) + "\n", to: STDOUT_FILENO)
                if ReadinessNotice(environment: ProcessInfo.processInfo.environment)?.send() == false {
                    server.warn("Cannot tell systemd that the server is ready (NOTIFY_SOCKET).")
                }
            }
        } catch {
            if !server.hasJSONLog { Terminal.printError("lcfile: \(error)") }
            throw ExitCode((error as? ExitError)?.exitCode ?? ExitStatus.failure)
        }
    }

    private func server(_ loader: ConfigurationLoader) async throws -> LCFileServer {
        do {
            return LCFileServer(configuration: try loader.load()) { try loader.load() }
        } catch let error as ExitError {
            let isLogged = try await LCFileServer.logFailedStart(error, format: loader.logFormat)
            if !isLogged { Terminal.printError("lcfile: \(error)") }
            throw ExitCode(error.exitCode)
        }
    }

    /// The configuration file of a command that names none; `nil` if it does not exist.
    static var defaultFile: String? {
        let path = "config/lcfile.yaml"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }
}
