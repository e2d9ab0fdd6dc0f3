internal import FoundationEssentials

/// A resumable upload on the server (tus 1.0; docs/uploads.md section 7).
struct TusUpload: Sendable {
    /// What the server has stored of an upload.
    struct State: Sendable {
        /// The number of stored bytes.
        var offset: Int64
        /// The number of bytes of the file; `nil` while it is unknown.
        var length: Int64?
        /// The file; `nil` until it exists.
        var file: FileRecord?
    }

    /// The URL that the server gave the upload.
    let location: String
    private let client: FileClient
    private let url: String

    /// Creates the client's side of an upload that exists on the server.
    ///
    /// - Parameters:
    ///   - location: The URL from a creation; only its last segment is used, because the address in it can be one that
    ///     this client does not reach.
    ///   - client: The client.
    /// - Throws: ``FileClientError`` if there is no URL.
    init(_ location: String, of client: FileClient) throws(FileClientError) {
        guard let token = location.split(separator: "/").last else {
            throw FileClientError(.unexpectedAnswer, "the server did not name the upload")
        }
        self.location = location
        self.client = client
        url = "/1.1/uploads/" + String(token).percentEncoded
    }

    /// Creates an upload.
    ///
    /// - Parameters:
    ///   - size: The number of bytes; `nil` if the last piece announces it.
    ///   - description: What the server stores about the file.
    ///   - bytes: All bytes of the file, sent with the creation; `nil` if they follow.
    ///   - client: The client.
    ///   - sent: Called with the number of sent bytes.
    /// - Returns: The upload and its state; a file without bytes to follow exists already.
    /// - Throws: ``FileClientError``.
    static func create(
        size: Int64?,
        _ description: UploadDescription,
        with bytes: RequestBody? = nil,
        on client: FileClient,
        sent: (@Sendable (Int64) -> Void)? = nil
    ) async throws -> (TusUpload, State) {
        let length = size.map { "Upload-Length: \($0)" } ?? "Upload-Defer-Length: 1"
        var headers = [TusUpload.version, length, "Upload-Metadata: " + metadata(of: description)]
        if bytes != nil { headers.append("Content-Type: application/offset+octet-stream") }
        var request = client.request("POST", "/1.1/uploads", headers: headers)
        // An upload without bytes that no client knows expires.
        request.isIdempotent = true
        request.body = bytes ?? RequestBody([])
        request.sent = sent
        let response = try await client.send(request)
        let upload = try TusUpload(response.headers["location"] ?? "", of: client)
        return (upload, upload.state(response, offset: 0, length: size))
    }

    /// The state on the server; throws with status 404 if the upload has expired.
    func state() async throws -> State {
        let response = try await client.send(client.request("HEAD", url, headers: [TusUpload.version]))
        let length = response.headers["upload-length"].flatMap { Int64($0) }
        return state(response, offset: response.headers["upload-offset"].flatMap { Int64($0) } ?? 0, length: length)
    }

    /// Sends bytes at an offset, once.
    ///
    /// - Parameters:
    ///   - body: The bytes from the offset on.
    ///   - offset: The number of bytes that the server has stored.
    ///   - length: The number of bytes of the file, to announce it with this piece; `nil` if it is announced already
    ///     or unknown.
    ///   - sent: Called with the number of sent bytes of this piece.
    /// - Returns: The new state.
    /// - Throws: ``FileClientError``; of kind `local` if the bytes cannot be read.
    func append(
        _ body: RequestBody,
        at offset: Int64,
        length: Int64?,
        sent: (@Sendable (Int64) -> Void)?
    ) async throws -> State {
        var headers = [
            TusUpload.version, "Content-Type: application/offset+octet-stream", "Upload-Offset: \(offset)",
        ]
        if let length { headers.append("Upload-Length: \(length)") }
        var request = client.request("PATCH", url, headers: headers)
        request.body = body
        request.sent = sent
        let response = try await client.sendOnce(request)
        let end = response.headers["upload-offset"].flatMap { Int64($0) } ?? offset + body.size
        return state(response, offset: end, length: length)
    }

    private func state(_ response: Response, offset: Int64, length: Int64?) -> State {
        var state = State(offset: offset, length: length)
        if let url = response.headers["x-lc-file-url"], let id = response.headers["x-lc-object-id"] {
            state.file = FileRecord(fields: ["objectId": .string(id), "url": .string(url)])
        }
        return state
    }

    private static let version = "Tus-Resumable: 1.0.0"

    private static func metadata(of description: UploadDescription) -> String {
        let pairs: [(name: String, value: String?)] = [
            ("filename", description.name), ("filetype", description.mimeType), ("key", description.key),
            ("metaData", description.metaData?.description), ("ACL", description.acl?.description),
            ("prefix", description.keyPrefix), ("keep_file_name", description.keyKeepsName ? "true" : nil),
            ("objectId", description.objectId), ("createdAt", description.createdAt),
            ("updatedAt", description.updatedAt),
        ]
        return pairs.compactMap { name, value in value.map { "\(name) \(Data($0.utf8).base64EncodedString())" } }
            .joined(separator: ",")
    }
}
