internal import ArgumentParser
internal import FileClient

/// Looks files up one after the other and prints lines for each; a file that fails does not stop the others.
struct EachFile {
    private let files: [String]
    private let server: ServerOptions
    private let key: ServerOptions.Key

    init(_ files: [String], _ server: ServerOptions, master: Bool) {
        self.files = files
        self.server = server
        key = master ? .master : .app
    }

    /// Prints the lines of each file.
    ///
    /// - Throws: `ExitCode` if a file failed.
    func print(
        _ lines: (_ record: FileRecord, _ client: FileClient, _ position: Int) async throws -> [String]
    ) async throws {
        let failures = Failures()
        try await server.connect(with: key) { client in
            for (position, file) in files.enumerated() {
                do {
                    let record = try await FileArgument(file).record(on: client)
                    for line in try await lines(record, client, position) { Terminal.printLine(line) }
                } catch {
                    failures.add(file, error)
                    if let error = error as? FileClientError, error.isAboutServer { break }
                }
            }
        }
        for line in failures.lines(of: files.count, style: .error) { Terminal.printError(line) }
        if failures.exitStatus != 0 { throw ExitCode(failures.exitStatus) }
    }
}
