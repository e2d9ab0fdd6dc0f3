internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// The progress of an upload, for clients with its token (docs/uploads.md, section 8).
struct ProgressRoutes: Sendable {
    let apps: [AppServices]

    func add(to group: RouterGroup<APIContext>) {
        group.get(":token", use: progress)
        group.get(":token/events", use: events)
    }

    @Sendable private func progress(_ request: Request, _ context: APIContext) async throws -> Response {
        let (app, token) = try await find(context)
        return json(of: try await app.uploads.progress(token), in: app).response()
    }

    /// Responds with server-sent events: one for each change, and a last one with the result.
    @Sendable private func events(_ request: Request, _ context: APIContext) async throws -> Response {
        if request.headers[.known("Last-Event-ID")] == ProgressRoutes.last {
            // The stream has ended; 204 stops the reconnection of a browser.
            return Response(status: .noContent)
        }
        let (app, token) = try await find(context)
        let slot = try await app.uploads.beginProgressStream(token)
        let watch = ClientPresence.whenGone(from: context.channel) { slot.leave() }
        let body = ResponseBody { writer in
            defer {
                // The connection can go on for thousands of streams that ended.
                watch.unwatch()
                slot.leave()
            }
            try await app.uploads.streamProgress(token, in: slot) { event in
                try await writer.write(ByteBuffer(string: text(of: event, in: app)))
            }
            try await writer.finish(nil)
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream", .cacheControl: "no-cache,no-store",
                // nginx would otherwise buffer the events.
                .known("X-Accel-Buffering"): "no",
            ],
            body: body
        )
    }

    private static let last = "end"

    private func text(of event: UploadService.ProgressEvent, in app: AppServices) -> String {
        switch event {
        case .progress(let progress):
            "event: progress\ndata: \(text(progress, app))\n\n"
        case .finished(let progress):
            "id: \(ProgressRoutes.last)\nevent: finished\ndata: \(text(progress, app))\n\n"
        case .ended:
            "id: \(ProgressRoutes.last)\nevent: gone\ndata: {}\n\n"
        case .stillThere:
            ": still there\n\n"
        }
    }

    private func text(_ progress: UploadProgress, _ app: AppServices) -> String {
        String(decoding: json(of: progress, in: app).encoded(), as: UTF8.self)
    }

    private func json(of progress: UploadProgress, in app: AppServices) -> JSONValue {
        var members: [String: JSONValue] = [
            "objectId": .string(progress.id.description),
            "state": .string(progress.state),
            "received": .integer(progress.received),
            "expiresAt": .string(progress.expiresAt.iso8601),
        ]
        members["size"] = progress.size.map(JSONValue.integer)
        members["percent"] = progress.percent.map { .integer(Int64($0)) }
        if progress.isFinished { members["url"] = .string(app.presentation.url(ofUpload: progress.key)) }
        return .object(members)
    }

    private func find(_ context: APIContext) async throws -> (AppServices, UploadToken) {
        guard let token = UploadToken(try context.parameters.require("token")),
            let app = try await apps.app(knowing: token)
        else { throw UploadService.notFound }
        context.notes.note(app.id)
        return (app, token)
    }
}
