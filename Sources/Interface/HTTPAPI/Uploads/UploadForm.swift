internal import Domain
internal import NIOCore

/// Collects the parts of an upload form: files are staged as they arrive, fields are collected until the end, because
/// clients send them before or after the file.
struct UploadForm: Sendable {
    private var files: [(name: String?, type: String?)] = []
    private let caller: Caller
    private let uploads: UploadLimits
    private let limits: WireLimits
    private var fields: FormFields
    private var current = Part.none

    private enum Part {
        case none
        case file
        case field(String)
        case ignored
    }

    init(limits: WireLimits, uploads: UploadLimits, caller: Caller, share: BodyMemory.Share) {
        self.caller = caller
        self.uploads = uploads
        self.limits = limits
        // The master key can have longer names.
        let shortSize = max(FormFields.shortSize, uploads.nameLength(for: caller))
        fields = FormFields(limits: limits, share: share, shortSize: shortSize)
    }

    /// Processes the next event of the form; bytes of files are staged.
    mutating func take(_ event: MultipartDecoder.Event, into incoming: inout IncomingFiles) async throws {
        switch (event, current) {
        case (.part(let headers), _):
            try await begin(headers, &incoming)
        case (.bytes(let bytes), .file):
            try await incoming.append(bytes)
        case (.bytes(let bytes), .field(let name)):
            try fields.append(bytes, to: name)
        case (.bytes, _):
            break
        }
    }

    /// The descriptions of the files, from the fields.
    ///
    /// - Parameter pathName: The name in the request's path, which takes precedence over all others.
    /// - Returns: One of each file, in the order of the form.
    /// - Throws: ``ServiceError/Code/badRequest`` for a form without a file and for malformed fields;
    ///   ``ServiceError/Code/payloadTooLarge`` for fields that are too large for so many files.
    func descriptions(as pathName: FileName?) throws -> [UploadDescription] {
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
        try requireRepeatedSize()
        let common = try UploadDescription(try fields.description, by: caller, within: uploads)
        return try files.map { file in
            var description = common
            description.name = try FileName(
                name ?? file.name ?? "file",
                limit: uploads.nameLength(for: caller),
                allowsSlashes: caller.isMaster
            )
            description.mediaType = common.mediaType ?? MediaType(claimed: file.type)
            return description
        }
    }

    /// Checks the fields that each file gets: together they are limited like the JSON that creates as many objects.
    private func requireRepeatedSize() throws {
        guard files.count > 1 else { return }
        let size = files.count * fields.size(of: ["metaData", "ACL"])
        let limit = limits.bodySize(of: caller.identity)
        guard size <= limit.size else {
            throw ServiceError(
                .payloadTooLarge,
                "metaData and ACL are stored with each of the \(files.count) files of the form, which takes \(size) "
                    + "bytes; the limit is \(limit.size) bytes (\(limit.setting))."
            )
        }
    }

    private mutating func begin(_ headers: MultipartHeaders, _ incoming: inout IncomingFiles) async throws {
        try fields.countPart()
        switch headers.name {
        case "file":
            try headers.requirePlain()
            try fields.count(headers.fileName, headers.contentType)
            try await incoming.begin()
            files.append((headers.fileName, headers.contentType))
            current = .file
        case let name where ["name", "mime_type", "metaData", "ACL", "prefix", "keep_file_name"].contains(name):
            try headers.requirePlain()
            try fields.begin(name)
            current = .field(name)
        default:
            current = .ignored
        }
    }
}
