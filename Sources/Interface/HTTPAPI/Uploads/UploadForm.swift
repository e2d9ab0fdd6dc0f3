internal import Domain
internal import NIOCore

/// Collects the parts of an upload form: files are staged as they arrive, fields are collected until the end, because
/// clients send them before or after the file.
struct UploadForm: Sendable {
    private(set) var files: [File] = []
    private let uploads: UploadService
    private let caller: Caller
    private var fields: FormFields
    private var current = Part.none

    /// A file part.
    struct File: Sendable {
        var upload: StagedUpload
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
        self.caller = caller
        fields = FormFields(limits: limits)
    }

    /// Processes the next event of the form.
    mutating func take(_ event: MultipartDecoder.Event) async throws {
        switch (event, current) {
        case (.part(let headers), _):
            try await begin(headers)
        case (.bytes(let bytes), .file):
            try await files[files.count - 1].upload.append(bytes)
        case (.bytes(let bytes), .field(let name)):
            try fields.append(bytes, to: name)
        case (.bytes, _):
            break
        }
    }

    /// The files with their descriptions from the fields.
    ///
    /// - Parameter pathName: The name in the request's path, which takes precedence over all others.
    /// - Returns: The files in the order of the form.
    /// - Throws: ``ServiceError/Code/badRequest`` for a form without a file and for malformed fields.
    func described(as pathName: FileName?) throws -> [(upload: StagedUpload, description: UploadDescription)] {
        guard !files.isEmpty else { throw ServiceError(.badRequest, "The form has no part named 'file'.") }
        let name = try pathName?.description ?? fields.text("name")
        guard files.count == 1 || name == nil else {
            throw ServiceError(
                .badRequest,
                pathName == nil
                    ? "'name' is for a form with one file; several files have the names of their parts."
                    : "The name in the path is for a form with one file; send several files to /1.1/files."
            )
        }
        let limit = uploads.limits.nameLength
        let common = try UploadDescription(try fields.description, limit: limit)
        return try files.map { file in
            var description = common
            description.name = try FileName(name ?? file.name ?? "file", limit: limit)
            description.mediaType = common.mediaType ?? MediaType(claimed: file.type)
            return (file.upload, description)
        }
    }

    private mutating func begin(_ headers: MultipartHeaders) async throws {
        if case .file = current {
            // A form can have a hundred files; the buffered bytes of each are written before the next one begins.
            try await files[files.count - 1].upload.end()
        }
        try fields.countPart()
        switch headers.name {
        case "file":
            let upload = try await uploads.begin(announced: nil, as: caller)
            files.append(File(upload: upload, name: headers.fileName, type: headers.contentType))
            current = .file
        case let name where ["name", "mime_type", "metaData", "ACL", "prefix", "keep_file_name"].contains(name):
            try fields.begin(name)
            current = .field(name)
        default:
            current = .ignored
        }
    }
}
