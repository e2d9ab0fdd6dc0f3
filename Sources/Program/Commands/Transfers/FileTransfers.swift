internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials

/// The transfers of a command, with everything that the user sees of them: progress, results in order, failures at the
/// end, what to do after Ctrl-C.
struct FileTransfers: Sendable {
    /// What happens to a file, as a participle: `uploaded`.
    let participle: String
    /// The maximum number of transfers at the same time.
    let concurrency: Int
    let printsJSON: Bool
    let isQuiet: Bool

    init(_ participle: String, _ transfer: TransferOptions, _ output: OutputOptions) {
        self.participle = participle
        concurrency = transfer.connections
        printsJSON = output.json
        isQuiet = output.quiet
    }

    /// Transfers the files and ends the command.
    ///
    /// - Parameters:
    ///   - files: The files.
    ///   - transfer: Transfers a file and returns the line to print; reports the bytes that are transferred, and the
    ///     size if it was unknown before.
    /// - Throws: `ExitCode` if a file failed or the command was interrupted.
    func run<File: TransferredFile>(
        _ files: [File],
        transfer: @escaping @Sendable (_ file: File, _ report: TransferReport) async throws -> TransferLine
    ) async throws {
        let sizes = files.map(\.size)
        let progress = TransferProgress(
            files: files.count,
            size: sizes.contains(nil) ? nil : sizes.reduce(0) { $0 + ($1 ?? 0) }
        )
        let bar = ProgressBar(progress, isShown: !isQuiet)
        let status = try await Interruption.cancelling {
            await bar.show { await self.transfer(files, progress, bar, transfer) }
        }
        if status != 0 { throw ExitCode(status) }
    }

    private func transfer<File: TransferredFile>(
        _ files: [File],
        _ progress: TransferProgress,
        _ bar: ProgressBar,
        _ transfer: @escaping @Sendable (File, TransferReport) async throws -> TransferLine
    ) async -> Int32 {
        let failures = Failures()
        var lines = OrderedLines()
        var interrupted: [String] = []
        let begun = await TransferRun(concurrency: concurrency).run(files) { position, file in
            progress.begin(position, name: file.name)
            return await TransferEnd.of {
                try await transfer(file, TransferReport(position: position, progress: progress))
            }
        } finish: { position, end in
            let file = files[position]
            var line: String?
            switch end {
            case .done(let result):
                progress.end(position, bytes: result.size ?? file.size ?? 0, failed: false)
                line = printsJSON ? result.json.description : result.text
            case .failed(let error):
                progress.end(position, bytes: file.size ?? 0, failed: true)
                failures.add(file.name, error)
                if printsJSON { line = FileTransfers.json(of: error, for: file.name).description }
            case .interrupted:
                interrupted.append(file.name)
            }
            for line in lines.add(line, at: position) where !isQuiet { bar.printLine(line) }
        }
        for line in lines.rest where !isQuiet { bar.printLine(line) }
        bar.end()
        for line in failures.lines(of: files.count, style: .error) { Terminal.printError(line) }
        let done = progress.snapshot
        let missing = interrupted + files[begun...].map(\.name)
        // A Ctrl-C after the last file changes nothing.
        if Task.isCancelled, !missing.isEmpty {
            sayHowToContinue(missing, done: done)
            return ExitStatus.interrupted
        }
        if begun < files.count {
            Terminal.printError("lcfile: stopped; \(Amount.count(files.count - begun, "file")) not tried")
        }
        if !isQuiet, Terminal.showsProgress, failures.count == 0, Terminal.isOutput {
            let amount = "\(Amount.count(done.done, "file")), \(Amount.bytes(done.bytes))"
            Terminal.printError("\(Style.error.green("✓")) \(participle) \(amount) in \(Amount.time(bar.seconds))")
        }
        return failures.exitStatus
    }

    private func sayHowToContinue(_ names: [String], done: TransferProgress.Snapshot) {
        let complete = done.done - done.failed
        Terminal.printError("lcfile: interrupted; \(complete) of \(Amount.count(done.files, "file")) \(participle)")
        let shown = names.prefix(10).map { "  \(Terminal.printable($0))" }
        Terminal.printError("To continue, run the command again with the same options for:")
        for line in shown { Terminal.printError(line) }
        if names.count > shown.count { Terminal.printError("  and \(names.count - shown.count) more") }
    }

    /// `{"source":…,"error":…,"status":…,"code":…}`.
    private static func json(of error: any Error, for name: String) -> JSON {
        var members: [String: JSON] = ["source": .string(name), "error": .string("\(error)")]
        if let error = error as? FileClientError {
            members["error"] = .string(error.message)
            if error.status != 0 { members["status"] = .integer(Int64(error.status)) }
            if let code = error.code { members["code"] = .integer(Int64(code)) }
        }
        return .object(members)
    }
}

/// A file that a command transfers.
protocol TransferredFile: Sendable {
    /// As the user wrote it.
    var name: String { get }
    /// The number of bytes; `nil` if it is unknown.
    var size: Int64? { get }
}

/// The result of a transfer, for people and for scripts.
struct TransferLine: Sendable {
    /// A line of text; `nil` to print nothing.
    let text: String?
    let json: JSON
    /// The number of bytes; `nil` if it is unknown.
    let size: Int64?
}

/// Takes the progress of one transfer.
struct TransferReport: Sendable {
    fileprivate let position: Int
    fileprivate let progress: TransferProgress

    /// Notes the number of bytes that are transferred.
    func bytes(_ count: Int64) { progress.update(position, bytes: count) }

    /// Notes the size of a file whose size counted as 0; `nil` if it stays unknown.
    func size(_ size: Int64?) { progress.add(size: size) }
}

/// Puts lines into the order of their files.
struct OrderedLines {
    private var next = 0
    private var waiting: [Int: String?] = [:]

    /// Adds the line of a file, and returns all lines that no earlier file holds back.
    mutating func add(_ line: String?, at position: Int) -> [String] {
        waiting[position] = .some(line)
        var lines: [String] = []
        while let line = waiting.removeValue(forKey: next) {
            if let line { lines.append(line) }
            next += 1
        }
        return lines
    }

    /// The lines that wait for files which do not end.
    var rest: [String] { waiting.sorted { $0.key < $1.key }.compactMap(\.value) }
}
