internal import ArgumentParser
internal import Doctor
internal import FileClient
internal import FoundationEssentials
internal import Server

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Examine the storage, the machine, the settings and the network for a server, and say what to do.",
        discussion: """
            One line for each subject: ok, note or problem. The command writes and syncs a small file in the storage \
            folder and removes it, and small objects in the bucket of blobs.store; everything else is only read. With \
            --through it also uploads a file of 256 KB through that URL with the master key of the first app, reads it \
            and removes it. Run it as the server's user, with its settings and limits, while the server runs or not. \
            The exit code is 1 if there is a problem, otherwise 0.

            Examples:
              sudo -u lcfile lcfile doctor --config /etc/lcfile/lcfile.yaml
              lcfile doctor --storage /var/lib/lcfile --url https://files.example.com
              lcfile doctor --config /etc/lcfile/lcfile.yaml \\
                --through https://files.example.com
              lcfile doctor --json
            """
    )

    @Option(
        help: "The configuration file. Default: config/lcfile.yaml if it exists.",
        completion: .file(extensions: ["yaml", "yml"])
    )
    var config: String?

    @Option(help: "The storage folder. Default: the setting storage.", completion: .directory)
    var storage: String?

    @Option(help: "The URL under which clients reach the server. Default: the setting publicURL.")
    var url: String?

    @Option(help: "The same, and upload, read and remove a file there with the master key of the first app.")
    var through: String?

    @OptionGroup
    var printing: JSONOption

    func validate() throws {
        guard storage != "" else { throw ValidationError("--storage must not be empty.") }
        guard config != "" else { throw ValidationError("--config must not be empty.") }
        for url in [url, through].compactMap(\.self) where !url.hasPrefix("http://") && !url.hasPrefix("https://") {
            throw ValidationError("'\(url)' is not an address such as https://files.example.com.")
        }
        guard url == nil || through == nil else { throw ValidationError("--url and --through exclude each other.") }
    }

    func run() throws {
        let examination = Examination(
            ConfigurationLoader(
                environment: ProcessInfo.processInfo.environment,
                file: config ?? Serve.defaultFile
            ),
            storage: storage,
            url: (through ?? url).map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 },
            transfers: through != nil
        )
        let isJSON = printing.isOn
        var isHealthy = true
        examination.run { finding in
            if finding.level == .problem { isHealthy = false }
            Terminal.printLine(isJSON ? DoctorCommand.json(finding) : DoctorCommand.line(finding))
        }
        guard isHealthy else { throw ExitCode.failure }
    }

    /// The line of a finding.
    static func line(_ finding: Finding) -> String {
        let level = finding.level.rawValue
        let subject = finding.subject
        let columns = level + String(repeating: " ", count: max(1, 9 - level.utf8.count)) + subject
        let text = finding.text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return Terminal.printable(columns + String(repeating: " ", count: max(1, 20 - subject.utf8.count)) + text)
    }

    /// The object of a finding.
    static func json(_ finding: Finding) -> String {
        let members: [String: JSON] = [
            "subject": .string(finding.subject), "level": .string(finding.level.rawValue),
            "text": .string(finding.text),
        ]
        return JSON.object(members).description
    }
}
