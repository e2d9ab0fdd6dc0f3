internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// Files that are created in one request: by a form, by raw bytes, by Base64 in JSON, or by a URL on another server
/// (protocol/files 3.1).
struct UploadRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    func add(to callers: RouterGroup<CallerContext>) {
        callers.post("files", use: make)
        callers.post("files/:file", use: makeNamed)
    }

    /// Handles `POST /files`.
    ///
    /// With `multipart/form-data`, one file returns its record, several return `{"results":[…]}`; with JSON, the file
    /// is at a URL on another server.
    @Sendable private func make(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        if let boundary = MultipartBoundary(contentType: request.headers[.contentType]) {
            return try await uploadForm(request, boundary, app, named: nil, context)
        }
        guard request.headers[.contentType].flatMap({ MediaType($0) })?.isJSON == true else {
            throw ServiceError(
                .badRequest,
                "Content-Type must be multipart/form-data with a boundary, or application/json with a url; send a raw body "
                    + "to /1.1/files/<name>."
            )
        }
        let remote = RemoteFile(app: app, caller: context.caller, channel: context.channel)
        return try await bodies.json(of: request, context) { body in try await remote.answer(body, name: nil) }
    }

    private func uploadForm(
        _ request: Request,
        _ boundary: MultipartBoundary,
        _ app: AppServices,
        named name: FileName?,
        _ context: CallerContext
    ) async throws -> Response {
        try request.headers.requireNoContentCoding()
        try request.headers.requireNoContentRange()
        let caller = context.caller
        let share = bodies.share(for: context)
        defer { share.end() }
        let records = try await app.uploads.receive(as: caller) { files in
            var form = UploadForm(
                limits: bodies.limits,
                uploads: app.uploads.limits,
                caller: caller,
                share: share
            )
            var decoder = MultipartDecoder(boundary: boundary)
            var pace = BufferedPace()
            var start = ContinuousClock.now
            for try await bytes in request.body {
                try pace.take(bytes.readableBytes, after: ContinuousClock.now - start, holding: share.used)
                decoder.append(bytes)
                while let event = try decoder.next() { try await form.take(event, into: &files) }
                start = ContinuousClock.now
            }
            try decoder.finish()
            return try form.descriptions(as: name)
        }
        guard let first = records.first, records.count == 1 else {
            let files = records.map { JSONValue.object(app.presentation.members(of: $0)) }
            return JSONValue.object(["results": .array(files)]).response(status: .created)
        }
        return first.created(in: app)
    }

    /// Handles `POST /files/<name>`: the bytes as body, or the JSON of old SDKs.
    ///
    /// Of a form the file part is stored, as users of `curl -F` expect, without the form's framing.
    @Sendable private func makeNamed(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        let name = try fileName(context, within: app.uploads.limits)
        if let boundary = MultipartBoundary(contentType: request.headers[.contentType]) {
            return try await uploadForm(request, boundary, app, named: name, context)
        }
        guard request.headers[.contentType].flatMap({ MediaType($0) })?.description != "multipart/form-data" else {
            throw ServiceError(.badRequest, "Content-Type multipart/form-data must have a boundary.")
        }
        let share = bodies.share(for: context)
        defer { share.end() }
        var body = LegacyUploadBody(request, limits: bodies.limits, share: share)
        switch try await body.read() {
        case .base64(let members, let digits):
            return try await Base64Upload(app: app, caller: context.caller).answer(members, digits, name)
        case .remote(let json):
            return try await RemoteFile(app: app, caller: context.caller, channel: context.channel)
                .answer(json, name: name)
        case .bytes:
            break
        }
        try request.headers.requireNoContentCoding()
        try request.headers.requireNoContentRange()
        let description = UploadDescription(
            name: name,
            mediaType: MediaType(claimed: request.headers[.contentType])
        )
        let expected = try request.headers.announcedDigests
        let size = request.announcedSize
        let caller = context.caller
        let uploads = app.uploads
        let record = try await uploads.receive(description, announced: size, as: caller, checking: expected) { file in
            while let bytes = try await body.next() { try await file.append(bytes) }
        }
        return record.created(in: app)
    }

    private func fileName(_ context: CallerContext, within limits: UploadLimits) throws -> FileName {
        guard let text = try context.parameters.require("file").percentDecoded else {
            throw ServiceError(.invalidFileName, "Invalid file name: it is not percent-encoded UTF-8.")
        }
        return try FileName(
            text,
            limit: limits.nameLength(for: context.caller),
            allowsSlashes: context.caller.isMaster
        )
    }
}

extension FileRecord {
    /// The response to the client that created the file, with further members for some dialects.
    func created(in app: AppServices, with others: [String: JSONValue] = [:]) -> Response {
        JSONValue.object(app.presentation.members(of: self).merging(others) { own, _ in own }).response(
            status: .created,
            headers: [.location: "/1.1/classes/_File/\(id)"]
        )
    }
}

extension MediaType {
    /// The media type that a client declares for a body; `nil` for the default types of tools.
    init?(claimed contentType: String?) {
        guard let type = contentType.flatMap({ MediaType($0) }), type != .octetStream,
            type.description != "application/x-www-form-urlencoded"
        else { return nil }
        self = type
    }

    var isJSON: Bool { description == "application/json" }
}
