internal import FileClient
internal import Glibc

/// Downloads single files for the command.
struct FileDownloads: Sendable {
    let client: FileClient
    let destination: DownloadDestination
    let overwrites: Bool

    /// Downloads a file and returns its path.
    func download(_ item: GetItem, _ report: TransferReport) async throws -> TransferLine {
        let (url, record) = try await FileArgument(item.name).content(on: client)
        report.size(record?.size)
        return try await download(url, record, named: name(of: url, record), from: item.name, report)
    }

    /// Downloads a URL to the destination under a name.
    func download(
        _ url: String,
        _ record: FileRecord?,
        named name: String,
        from source: String,
        _ report: TransferReport
    ) async throws -> TransferLine {
        let path = destination.path(of: name)
        let file: DownloadedFile
        if let path {
            var status = stat()
            guard overwrites || lstat(path, &status) != 0 else {
                throw UnusableFile(description: "\(path) exists; replace it with --overwrite")
            }
            file = try await client.download(url, to: path, expecting: record, progress: report.bytes)
        } else {
            file = try await client.download(
                url,
                descriptor: STDOUT_FILENO,
                expecting: record,
                progress: report.bytes
            )
        }
        let json = JSON.object([
            "source": .string(source), "path": path.map(JSON.string) ?? .null, "size": .integer(file.size),
        ])
        return TransferLine(text: path, json: json, size: file.size)
    }

    private func name(of url: String, _ record: FileRecord?) -> String {
        if let name = record?.name, !name.isEmpty { return name }
        return FileClient.key(in: url) ?? "file"
    }
}
