internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import Synchronization

/// The form of Kodo, and that of old COS, which differ only in names and responses (protocol/files 2.4, 2.7).
struct KodoForm: Sendable {
    let bodies: RequestBodies
    let app: AppServices
    let sender: CallerIdentity

    func answer(_ request: Request, _ upload: UploadHandle, _ token: UploadToken) async throws -> Response {
        try request.headers.requireNoContentCoding()
        try request.headers.requireNoContentRange()
        guard let boundary = MultipartBoundary(contentType: request.headers[.contentType]) else {
            throw DialectError(400, "Content-Type must be multipart/form-data with a boundary.")
        }
        let sign = request.uri.queryParameters["sign"].map(String.init) ?? request.headers[.authorization]
        let stored = upload.stored
        let isCOS = Mutex(false)
        let share = bodies.share(for: sender)
        defer { share.end() }
        let body: @Sendable (PartSink) async throws -> [DigestKind: [UInt8]] = { [limits = bodies.limits] sink in
            var form = KodoFormReader(limits: limits, share: share)
            var decoder = MultipartDecoder(boundary: boundary)
            for try await bytes in request.body {
                decoder.append(bytes)
                while let event = try decoder.next() {
                    if let data = try form.take(event) { try await sink.append(data) }
                }
            }
            try decoder.finish()
            isCOS.withLock { $0 = form.isCOS }
            return try form.checked(against: stored, token, sign: sign)
        }
        let record: FileRecord
        do {
            record = try await upload.receiveAll(announced: nil, digesting: [.crc32], body)
        } catch let error as ServiceError where error.code == .uploadConflict {
            throw DialectError(.init(code: 614), error)
        }
        if isCOS.withLock({ $0 }) { return cosAnswer(record) }
        return JSONValue.object([
            "hash": .string(record.facts.digest.description), "key": .string(record.key.description),
        ]).response()
    }

    private func cosAnswer(_ record: FileRecord) -> Response {
        let url = JSONValue.string(app.presentation.url(of: record.key, acl: record.acl))
        return JSONValue.object([
            "code": .integer(0), "message": "SUCCESS",
            "data": .object(["access_url": url, "source_url": url, "url": url]),
        ]).response()
    }
}

/// Splits a form: the file's bytes are passed on, the fields are collected.
private struct KodoFormReader {
    private enum Part {
        case file
        case field(String)
        case ignored
    }

    private var fields: FormFields
    private var current = Part.ignored
    private var hasFile = false
    private(set) var isCOS = false

    init(limits: WireLimits, share: BodyMemory.Share) {
        fields = FormFields(limits: limits, share: share)
    }

    /// The bytes of the file; `nil` for other events.
    mutating func take(_ event: MultipartDecoder.Event) throws -> ByteBuffer? {
        switch (event, current) {
        case (.part(let headers), _):
            try begin(headers)
        case (.bytes(let bytes), .file):
            return bytes
        case (.bytes(let bytes), .field(let name)):
            try fields.append(bytes, to: name)
        case (.bytes, .ignored):
            break
        }
        return nil
    }

    /// Checks that token and key belong to the upload, and returns the digests that the form announces.
    func checked(against upload: StoredUpload, _ token: UploadToken, sign: String?) throws -> [DigestKind: [UInt8]] {
        try KodoAuthorization.require(token, is: isCOS ? sign : try fields.text("token"))
        guard hasFile else { throw DialectError(400, "file is missing from the form.") }
        if let given = try fields.text("key"), !upload.key.isMeant(by: given, for: upload.description.name) {
            throw DialectError(400, "key is not that of the token.")
        }
        guard let text = try fields.text("crc32") else { return [:] }
        guard let crc32 = UInt32(text) else { throw DialectError(400, "crc32 must be a decimal number.") }
        return [.crc32: (0..<4).reversed().map { UInt8(truncatingIfNeeded: crc32 >> ($0 * 8)) }]
    }

    private mutating func begin(_ headers: MultipartHeaders) throws {
        try fields.countPart()
        let name = headers.name
        switch name {
        case "file", "filecontent", "fileContent":
            try headers.requirePlain()
            guard !hasFile else { throw DialectError(400, "The form has two files.") }
            hasFile = true
            if name != "file" { isCOS = true }
            current = .file
        case "op":
            isCOS = true
            current = .ignored
        case "key", "token", "crc32":
            try headers.requirePlain()
            try fields.begin(name)
            current = .field(name)
        default:
            current = .ignored
        }
    }
}
