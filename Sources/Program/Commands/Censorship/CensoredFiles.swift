internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials
internal import Glibc
internal import Migration

/// Calls for many files, some at the same time; prints a line for each in the order of the files.
struct CensoredFiles: Sendable {
    /// What happens to a file, as a participle: `blocked`.
    private let participle: String
    private let transfer: TransferOptions
    private let output: OutputOptions

    init(_ participle: String, _ transfer: TransferOptions, _ output: OutputOptions) {
        self.participle = participle
        self.transfer = transfer
        self.output = output
    }

    /// The number of requests at the same time, if the user chooses none: each is a small change.
    private static let connections = 16

    /// Calls the body for each file and ends the command.
    ///
    /// - Parameters:
    ///   - names: Ids; `-` stands for a list on standard input.
    ///   - server: The server.
    ///   - body: Does the work for one file.
    /// - Throws: `ExitCode` if a file failed or the command was interrupted.
    func run(
        _ names: [String],
        _ server: ServerOptions,
        _ body: @escaping @Sendable (_ client: FileClient, _ file: String) async throws -> CensoredFile
    ) async throws {
        let failures = Failures()
        let files = try CensoredFiles.ids(in: names, failures)
        do {
            let client = try server.client(with: .master, transfer.client(connections: CensoredFiles.connections))
            let status = try await Interruption.cancelling {
                await run(files, failures) { try await body(client, $0) }
            }
            if status != 0 { throw ExitCode(status) }
        } catch {
            try ServerOptions.end(with: error)
        }
    }

    private func run(
        _ files: [String],
        _ failures: Failures,
        _ body: @escaping @Sendable (_ file: String) async throws -> CensoredFile
    ) async -> Int32 {
        var lines = OrderedLines()
        var done = 0
        let concurrency = transfer.concurrency ?? CensoredFiles.connections
        let begun = await TransferRun(concurrency: concurrency).run(files) { _, file in
            await TransferEnd.of { try await body(file) }
        } finish: { position, end in
            var line: String?
            switch end {
            case .done(let file):
                done += 1
                line = output.json ? file.json : "\(Terminal.printable(file.id))  \(file.text)"
            case .failed(let error): failures.add(files[position], error)
            case .interrupted: break
            }
            for line in lines.add(line, at: position) where !output.quiet { Terminal.printLine(line) }
        }
        for line in lines.rest where !output.quiet { Terminal.printLine(line) }
        for line in failures.lines(of: files.count, style: .error) { Terminal.printError(line) }
        if Task.isCancelled, done + failures.count < files.count {
            Terminal.printError("lcfile: interrupted; \(done) of \(Amount.count(files.count, "file")) \(participle)")
            return ExitStatus.interrupted
        }
        if begun < files.count {
            Terminal.printError("lcfile: stopped; \(Amount.count(files.count - begun, "file")) not tried")
        }
        return failures.exitStatus
    }

    /// The ids, with those of the list on standard input; lines that name no file are failures.
    private static func ids(in names: [String], _ failures: Failures) throws -> [String] {
        var ids: [String] = []
        for name in names {
            guard name == "-" else {
                ids.append(name)
                continue
            }
            var list = NameList(descriptor: STDIN_FILENO)
            while let line = try list.next() {
                switch line {
                case .success(let id): ids.append(id)
                case .failure(let line): failures.add("line \(line.line)", UsageError(line.reason))
                }
            }
        }
        return ids
    }
}

/// The result for one file.
struct CensoredFile: Sendable {
    /// The file's id.
    let id: String
    /// The result in a word.
    let text: String
    /// The state for scripts.
    let state: CensorState

    /// The state as JSON on one line.
    var json: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(state)).map { String(decoding: $0, as: UTF8.self) }
    }
}
