internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// Two dialects of upload: a form with files in it, and the bare bytes.
struct UploadRoutes: Sendable {
    let apps: [AppID: AppServices]
    let limits: WireLimits

    func add(to callers: RouterGroup<CallerContext>) {
        callers.post("files", use: uploadForm)
        callers.post("files/:file", use: uploadBody)
    }

    /// `POST /files` with `multipart/form-data`: one file gives its record, several give `{"results":[…]}`.
    @Sendable private func uploadForm(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        guard let boundary = MultipartBoundary(contentType: request.headers[.contentType]) else {
            throw ServiceError(
                .badRequest,
                "Content-Type must be multipart/form-data with a boundary; a raw body goes to /1.1/files/<name>."
            )
        }
        var form = UploadForm(uploads: app.uploads, limits: limits, caller: context.caller)
        var decoder = MultipartDecoder(boundary: boundary)
        do {
            for try await bytes in request.body {
                decoder.append(bytes)
                while let event = try decoder.next() { try await form.take(event) }
            }
            try decoder.finish()
            let records = try await app.uploads.commit(try form.described(), as: context.caller)
            guard let first = records.first, records.count == 1 else {
                let texts = records.map { $0.text(shownBy: app.presentation) }
                return JSONText(Array(#"{"results":"#.utf8) + texts.encodedArray + Array("}".utf8)).response(
                    status: .created
                )
            }
            return created(first, in: app)
        } catch {
            await app.uploads.discard(form.files.map(\.upload))
            throw error
        }
    }

    /// `POST /files/<name>` with the bytes as body.
    @Sendable private func uploadBody(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        let description = UploadDescription(
            name: try fileName(context, limit: app.uploads.limits.nameLength),
            mediaType: MediaType(claimed: request.headers[.contentType])
        )
        let announced = request.headers[.contentLength].flatMap { Int64($0) }
        var upload = try await app.uploads.begin(announced: announced, as: context.caller)
        do {
            for try await bytes in request.body { try await upload.append(bytes) }
            let records = try await app.uploads.commit([(upload, description)], as: context.caller)
            return created(records[0], in: app)
        } catch {
            await app.uploads.discard([upload])
            throw error
        }
    }

    private func fileName(_ context: CallerContext, limit: Int) throws -> FileName {
        guard let text = try context.parameters.require("file").percentDecoded else {
            throw ServiceError(.invalidFileName, "Invalid file name: it is not percent-encoded UTF-8.")
        }
        return try FileName(text, limit: limit)
    }

    private func created(_ record: FileRecord, in app: AppServices) -> Response {
        JSONText(record.text(shownBy: app.presentation)).response(
            status: .created,
            headers: [.location: "/1.1/classes/_File/\(record.id)"]
        )
    }
}

extension MediaType {
    /// What a client claims a body to be; the types that tools send when nobody told them are no claim.
    init?(claimed contentType: String?) {
        guard let type = contentType.flatMap({ MediaType($0) }), type != .octetStream,
            type.description != "application/x-www-form-urlencoded"
        else { return nil }
        self = type
    }
}
