internal import FileClient
internal import FoundationEssentials
internal import Glibc

/// Uploads single files for the command, and stores what a later run needs to continue.
struct FileUploads: Sendable {
    private let client: FileClient
    private let template: UploadDescription
    private let environment = ProcessInfo.processInfo.environment

    /// - Parameters:
    ///   - client: The client.
    ///   - template: The description of every file; with an empty name each file has its own.
    init(client: FileClient, template: UploadDescription) {
        self.client = client
        self.template = template
        UnfinishedUpload.removeStale(in: environment)
    }

    /// Uploads a file and returns its URL.
    func upload(_ item: UploadItem, _ report: TransferReport) async throws -> TransferLine {
        var description = template
        if description.name.isEmpty { description.name = item.name.split(separator: "/").last.map(String.init) ?? "" }
        let record =
            switch item.source {
            case .unusable(let reason): throw UnusableFile(description: reason)
            case .standardInput:
                try await client.upload(descriptor: STDIN_FILENO, as: description, progress: report.bytes)
            case .file(let version):
                try await FileUploads.advising { try await upload(item, version, description, report) }
            }
        let json = JSON.object(["source": .string(item.name), "file": .object(record.fields)])
        return TransferLine(text: record.url ?? record.objectId, json: json, size: item.size ?? record.size)
    }

    /// Runs a body, and adds to the message about a file without a size how it can be sent.
    private static func advising(_ body: () async throws -> FileRecord) async throws -> FileRecord {
        do {
            return try await body()
        } catch let error as FileClientError where error.kind == .unsized {
            throw UnusableFile(description: "\(error.message); send it as standard input: '-'")
        }
    }

    private func upload(
        _ item: UploadItem,
        _ version: FileVersion,
        _ description: UploadDescription,
        _ report: TransferReport
    ) async throws -> FileRecord {
        let size = item.size ?? 0
        guard size >= client.options.resumableSize else {
            return try await client.upload(item.name, as: description, progress: report.bytes)
        }
        let state = UnfinishedUpload(
            UnfinishedUpload.Identity(
                server: client.server,
                app: client.appID,
                path: item.name.hasPrefix("/")
                    ? item.name : "\(FileManager.default.currentDirectoryPath)/\(item.name)",
                version: version,
                description: description
            ),
            in: environment
        )
        do {
            let record = try await client.upload(
                item.name,
                as: description,
                continuing: state?.location,
                created: { state?.store($0) },
                progress: report.bytes
            )
            state?.remove()
            return record
        } catch {
            // The next run sends a file with other bytes from its beginning.
            if state?.location == nil || (error as? FileClientError)?.kind == .damaged { state?.remove() }
            throw error
        }
    }
}

/// A file that cannot be uploaded.
struct UnusableFile: Error, CustomStringConvertible {
    let description: String
}
