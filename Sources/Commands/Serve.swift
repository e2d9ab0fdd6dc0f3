internal import ArgumentParser
internal import FoundationEssentials
internal import Server

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server until it gets SIGTERM or SIGINT.",
        discussion: """
            Settings come from these flags, over LCFILE_… environment variables, over the configuration file, over \
            defaults. The first start without configured apps makes one and prints its keys.
            """
    )

    @Option(help: "The configuration file; config/lcfile.yaml is read by itself if it is there.")
    var config: String?

    @Option(help: "The folder that holds everything that is kept.")
    var storage: String?

    @Option(help: "The address to listen on; 127.0.0.1 is reached from this machine only.")
    var host: String?

    @Option(help: "The port to listen on, 1 to 65535.")
    var port: String?

    @Option(help: "The photo that the printed upload line names.")
    var sample = "photo.jpg"

    func run() async throws {
        do {
            let loader = ConfigurationLoader(
                flags: ["storage": storage, "host": host, "port": port].compactMapValues { $0 },
                environment: ProcessInfo.processInfo.environment,
                file: config ?? defaultFile
            )
            let server = LCFileServer(configuration: try loader.load())
            try await server.run { [sample] greeting in
                Terminal.say(greeting.text(sample: sample))
            }
        } catch let error as StartError {
            Terminal.complain("lcfile: \(error)")
            throw ExitCode(error.exitCode)
        }
    }

    private var defaultFile: String? {
        let path = "config/lcfile.yaml"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }
}
