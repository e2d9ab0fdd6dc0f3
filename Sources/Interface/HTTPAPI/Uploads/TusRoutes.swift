internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// The open protocol for resumable uploads, tus 1.0 (docs/uploads.md, section 7).
struct TusRoutes: Sendable {
    let apps: [AppID: AppServices]
    let addresses: UploadAddresses

    func add(to callers: RouterGroup<CallerContext>) {
        callers.post(use: create)
        callers.on(":token", method: .head, use: head)
        callers.on(":token", method: .patch, use: patch)
        callers.on(":token", method: .delete, use: terminate)
        // For clients behind a proxy that allows only GET and POST.
        callers.post(":token", use: override)
    }

    @Sendable private func create(_ request: Request, _ context: CallerContext) async throws -> Response {
        try TusHeaders.requireVersion(request)
        let app = try apps.services(of: context.caller)
        let creation = try TusCreation(request, by: context.caller, within: app.uploads.limits)
        let (announcement, pieces) = creation.announcement
        let bringsBytes = request.headers[.contentType] == TusHeaders.mediaType
        if !bringsBytes {
            let types = "Content-Type of a creation with bytes must be \(TusHeaders.mediaType)."
            try await requireNoBytes(request, DialectError(415, types))
        } else if pieces != nil {
            try await requireNoBytes(request, TusRoutes.finalTakesNoBytes)
        }
        if let pieces {
            return try await app.uploads.concatenate(announcement, of: pieces, as: context.caller) { handle, token in
                let upload = handle.stored
                return try await created(token, offset: upload.isFinished ? upload.size : nil, handle, app)
            }
        }
        return try await app.uploads.announcing(announcement, as: context.caller) { handle, token in
            do {
                guard bringsBytes else {
                    try await handle.finishIfComplete()
                    return try await created(token, offset: nil, handle, app)
                }
                let offset = try await append(request, context, at: 0, handle)
                return try await created(token, offset: offset, handle, app)
            } catch {
                // The client does not get the upload's URL.
                try? await handle.cancel()
                throw error
            }
        }
    }

    @Sendable private func head(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await using(request, context) { upload, app in
            let offset = try await upload.settledOffset()
            var headers = try await TusHeaders.about(upload, in: app)
            headers[.uploadOffset] = offset.map { String($0) }
            headers[.cacheControl] = "no-store"
            let stored = upload.stored
            headers[.uploadLength] = stored.size.map { String($0) }
            // A final upload has no offset and no length before its partial uploads are finished.
            if stored.size == nil, offset != nil { headers[.uploadDeferLength] = "1" }
            headers[.uploadMetadata] = stored.metadataHeader
            switch stored.kind {
            case .file: break
            case .partial: headers[.uploadConcat] = "partial"
            case .final(let text): headers[.uploadConcat] = text
            }
            return Response(status: .ok, headers: headers)
        }
    }

    @Sendable private func patch(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await using(request, context) { upload, app in
            guard request.headers[.contentType] == TusHeaders.mediaType else {
                throw DialectError(415, "Content-Type must be \(TusHeaders.mediaType).")
            }
            guard let offset = try TusHeaders.number(.uploadOffset, in: request) else {
                throw ServiceError(.badRequest, "Upload-Offset is missing.")
            }
            if case .final = upload.stored.kind { throw TusRoutes.finalTakesNoBytes }
            let size = try TusHeaders.number(.uploadLength, in: request)
            let end = try await append(request, context, at: offset, sized: size, upload)
            var headers = try await TusHeaders.about(upload, in: app)
            headers[.uploadOffset] = String(end)
            return Response(status: .noContent, headers: headers)
        }
    }

    @Sendable private func terminate(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await using(request, context, describing: .unused) { upload, app in
            try await upload.terminate(as: context.caller, deletingFilesOf: app.objects)
            return Response(status: .noContent)
        }
    }

    @Sendable private func override(_ request: Request, _ context: CallerContext) async throws -> Response {
        switch request.headers[.known("X-HTTP-Method-Override")]?.uppercased() {
        case "PATCH": return try await patch(request, context)
        case "DELETE": return try await terminate(request, context)
        case "HEAD": return try await head(request, context)
        default: throw ServiceError(.routeNotFound, "There is no such path or method.")
        }
    }

    private func using(
        _ request: Request,
        _ context: CallerContext,
        describing use: DescriptionUse = .counted,
        _ body: (UploadHandle, AppServices) async throws -> Response
    ) async throws -> Response {
        try TusHeaders.requireVersion(request)
        let app = try apps.services(of: context.caller)
        guard let token = UploadToken(try context.parameters.require("token")) else { throw UploadService.notFound }
        return try await app.uploads.using(token, describing: use) { try await body($0, app) }
    }

    private func append(
        _ request: Request,
        _ context: CallerContext,
        at offset: Int64,
        sized size: Int64? = nil,
        _ upload: UploadHandle
    ) async throws -> Int64 {
        do {
            try request.headers.requireNoContentCoding()
            let checksum = try TusChecksum(request)
            return try await upload.append(
                at: offset,
                sized: size,
                announced: request.announcedSize,
                digesting: checksum.kinds
            ) { sink in
                for try await bytes in request.body { try await sink.append(bytes) }
                return try await checksum.announced(request, on: context.channel)
            }
        } catch let error as ServiceError where error.code == .checksumMismatch {
            throw DialectError(.init(code: 460, reasonPhrase: "Checksum Mismatch"), error)
        } catch let error as ServiceError where [.uploadConflict, .superseded].contains(error.code) {
            // With the offset the client can continue without a HEAD.
            throw DialectError(.conflict, error, [.uploadOffset: String(upload.storedOffset)])
        }
    }

    /// Throws the error if the body has bytes, so that no client assumes that discarded bytes were stored.
    private func requireNoBytes(_ request: Request, _ refusal: any Error) async throws {
        guard request.announcedSize ?? 0 == 0 else { throw refusal }
        for try await bytes in request.body where bytes.readableBytes > 0 { throw refusal }
    }

    private static let finalTakesNoBytes = ServiceError(.forbidden, "A final upload does not accept bytes.")

    private func created(
        _ token: UploadToken,
        offset: Int64?,
        _ handle: UploadHandle,
        _ app: AppServices
    ) async throws -> Response {
        var headers = try await TusHeaders.about(handle, in: app)
        headers[.location] = addresses.tus(token)
        headers[.uploadOffset] = offset.map { String($0) }
        return Response(status: .created, headers: headers)
    }
}
