internal import FileClient

/// A file as a user names it.
enum FileArgument: Equatable, Sendable {
    /// An objectId: 24 hexadecimal digits.
    case id(String)
    /// A key, the path of a file's URL.
    case key(String)
    /// A URL.
    case url(String)

    init(_ text: String) {
        let lowercased = text.lowercased()
        if lowercased.hasPrefix("http://") || lowercased.hasPrefix("https://") {
            self = .url(text)
        } else if text.count == 24, text.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
            self = .id(text)
        } else {
            self = .key(text)
        }
    }

    /// The record of the file.
    ///
    /// - Throws: `FileClientError`; ``NoSuchFile`` if there is none.
    func record(on client: FileClient) async throws -> FileRecord {
        switch self {
        case .id(let id):
            do {
                return try await client.file(id)
            } catch let error as FileClientError where error.status == 404 {
                throw NoSuchFile(description: "there is no file with this id")
            }
        case .key(let key):
            guard let record = try await client.file(key: key) else {
                throw NoSuchFile(description: "there is no file with this key")
            }
            return record
        case .url(let url):
            guard let record = try await client.file(url: url) else {
                throw NoSuchFile(description: "there is no file with this URL")
            }
            return record
        }
    }

    /// Where the bytes are, and the record for comparison if there is one that is certainly theirs.
    func content(on client: FileClient) async throws -> (url: String, record: FileRecord?) {
        switch self {
        case .id:
            let record = try await record(on: client)
            guard let url = client.contentURL(of: record) else {
                throw NoSuchFile(description: "the record has no URL")
            }
            return (url, record)
        case .key(let key):
            // Callers who are not allowed to query files are allowed to download them.
            let record = try? await client.file(key: key)
            try Task.checkCancellation()
            // The record has the signature of a private file.
            let known = record ?? FileRecord(fields: ["key": .string(key)])
            return (client.contentURL(of: known) ?? "", record)
        case .url(let url):
            guard url.hasPrefix(client.server + "/"), !url.contains("?"), let key = FileClient.key(in: url) else {
                return (url, nil)
            }
            let record = try? await client.file(key: key)
            try Task.checkCancellation()
            return (record.flatMap { client.contentURL(of: $0) } ?? url, record)
        }
    }
}

/// The server has no such file.
struct NoSuchFile: Error, CustomStringConvertible {
    let description: String
}
