internal import Domain
internal import NIOCore

/// Collects the parts of an upload form: files go to staging as they come, fields are kept to the end, because clients
/// send them before the file or after it.
struct UploadForm: Sendable {
    private(set) var files: [File] = []
    private let uploads: UploadService
    private let limits: WireLimits
    private let caller: Caller
    private var fields: [String: ByteBuffer] = [:]
    private var parts = 0
    private var current = Part.none

    /// A file part.
    struct File: Sendable {
        var upload: Upload
        let name: String?
        let type: String?
    }

    private enum Part {
        case none
        case file
        case field(String)
        case ignored
    }

    init(uploads: UploadService, limits: WireLimits, caller: Caller) {
        self.uploads = uploads
        self.limits = limits
        self.caller = caller
    }

    /// Takes the next piece of the form.
    mutating func take(_ event: MultipartDecoder.Event) async throws {
        switch (event, current) {
        case (.part(let headers), _):
            try await begin(headers)
        case (.bytes(let bytes), .file):
            try await files[files.count - 1].upload.append(bytes)
        case (.bytes(let bytes), .field(let name)):
            fields[name, default: ByteBuffer()].writeImmutableBuffer(bytes)
            guard fields[name, default: ByteBuffer()].readableBytes <= limits.fieldSize else {
                throw ServiceError(
                    .payloadTooLarge,
                    "The field '\(name)' is larger than \(limits.fieldSize) bytes, the limit (uploads.maxFieldSize)."
                )
            }
        case (.bytes, _):
            break
        }
    }

    /// The files with what the fields say of them.
    func described() throws -> [(upload: Upload, description: UploadDescription)] {
        guard !files.isEmpty else { throw ServiceError(.badRequest, "The form has no part named 'file'.") }
        let name = try text("name")
        guard files.count == 1 || name == nil else {
            throw ServiceError(.badRequest, "'name' goes with one file; several take the names of their parts.")
        }
        let metaData = try json("metaData")
        guard metaData == nil || metaData == .null || metaData?.objectValue != nil else {
            throw ServiceError(.malformedJSON, "metaData must be a JSON object.")
        }
        let acl = try json("ACL").flatMap { try AccessControlList($0) }
        let prefix = try text("prefix").flatMap { try KeyPrefix($0) }
        let keepsName = try flag("keep_file_name")
        let type = try claimedType()
        return try files.map { file in
            let description = UploadDescription(
                name: try FileName(name ?? file.name ?? "file", limit: uploads.limits.nameLength),
                mediaType: type ?? MediaType(claimed: file.type),
                metaData: metaData?.objectValue ?? [:],
                acl: acl,
                prefix: prefix,
                keepsName: keepsName
            )
            return (file.upload, description)
        }
    }

    private mutating func begin(_ headers: MultipartHeaders) async throws {
        if case .file = current {
            // A form may hold a hundred files; what is held back of each must not wait for the last.
            try await files[files.count - 1].upload.finish()
        }
        parts += 1
        guard parts <= limits.formParts else {
            throw ServiceError(
                .payloadTooLarge,
                "The form has over \(limits.formParts) parts, the limit (uploads.maxParts)."
            )
        }
        switch headers.name {
        case "file":
            let upload = try await uploads.begin(announced: nil, as: caller)
            files.append(File(upload: upload, name: headers.fileName, type: headers.contentType))
            current = .file
        case let name where ["name", "mime_type", "metaData", "ACL", "prefix", "keep_file_name"].contains(name):
            guard fields[name] == nil else { throw ServiceError(.badRequest, "The field '\(name)' stands twice.") }
            fields[name] = ByteBuffer()
            current = .field(name)
        default:
            current = .ignored
        }
    }

    /// A field's text; an empty one is as good as none.
    private func text(_ name: String) throws -> String? {
        guard let bytes = fields[name], bytes.readableBytes > 0 else { return nil }
        guard let text = String(validating: bytes.readableBytesView, as: UTF8.self) else {
            throw ServiceError(.badRequest, "The field '\(name)' is not UTF-8.")
        }
        return text
    }

    private func json(_ name: String) throws -> JSONValue? {
        guard let bytes = fields[name], bytes.readableBytes > 0 else { return nil }
        return try JSONValue(parsing: Array(bytes.readableBytesView), field: name)
    }

    private func flag(_ name: String) throws -> Bool {
        switch try text(name) {
        case "true", "1": true
        case "false", "0", nil: false
        default: throw ServiceError(.badRequest, "\(name) must be true or false.")
        }
    }

    private func claimedType() throws -> MediaType? {
        guard let text = try text("mime_type") else { return nil }
        guard let type = MediaType(text) else {
            throw ServiceError(.badRequest, "mime_type must look like image/png.")
        }
        return type
    }
}
