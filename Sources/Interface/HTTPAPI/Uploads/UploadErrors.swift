internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// Renders errors on an `upload_url` in the format of the dialect: XML for S3, `{"error":…}` for Kodo (protocol/files
/// 2.3, 2.4).
struct UploadErrors: RouterMiddleware {
    func handle(
        _ request: Request,
        context: APIContext,
        next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let path = UploadPath(request.uri.path)
        let isS3 = path.isS3(request.method) || path.dialect == .object && S3Operation(request) != nil
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            let (refusal, status) = ErrorRenderer.refusal(error, logger: context.logger)
            context.notes.note(message: refusal.message)
            response = isS3 ? s3(refusal, status) : kodo(refusal, status, isOwn: error is DialectError)
        }
        // Qiniu's SDKs treat a response without this header as that of another server.
        response.headers[.known("X-Reqid")] = context.id
        return response
    }

    private func s3(_ refusal: ServiceError, _ status: HTTPResponse.Status) -> Response {
        let other =
            switch status.kind {
            case .serverError: status == .notImplemented ? "NotImplemented" : "InternalError"
            default: "InvalidRequest"
            }
        let code = UploadErrors.s3Codes[refusal.code] ?? other
        // By scalars: a sign that a combining mark follows is another character for Swift, but the same for XML.
        let message = refusal.message.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            default: text.unicodeScalars.append(scalar)
            }
        }
        let xml = """
            <?xml version="1.0" encoding="UTF-8"?>
            <Error><Code>\(code)</Code><Message>\(message)</Message></Error>
            """
        return Response(
            status: status,
            headers: [.contentType: "application/xml"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: xml))
        )
    }

    private func kodo(_ refusal: ServiceError, _ status: HTTPResponse.Status, isOwn: Bool) -> Response {
        let code = isOwn ? nil : UploadErrors.kodoStatuses[refusal.code]
        let status = code.map { HTTPResponse.Status(code: $0) } ?? (status.code == 500 ? .init(code: 599) : status)
        // COS's clients read code and message, Kodo's read error.
        let message = JSONValue.string(refusal.message)
        return JSONValue.object(["error": message, "code": .integer(Int64(status.code)), "message": message])
            .response(status: status)
    }

    private static let s3Codes: [ServiceError.Code: String] = [
        .uploadNotFound: "NoSuchUpload", .payloadTooLarge: "EntityTooLarge", .checksumMismatch: "BadDigest",
        .forbidden: "AccessDenied", .quotaExceeded: "QuotaExceeded", .superseded: "OperationAborted",
        .uploadConflict: "OperationAborted", .overloaded: "SlowDown", .storageFull: "InsufficientStorage",
        .storageReadOnly: "ServiceUnavailable", .unavailable: "ServiceUnavailable",
        .duplicateValue: "OperationAborted",
    ]

    /// Qiniu's own statuses (protocol/files 2.4, 2.5).
    private static let kodoStatuses: [ServiceError.Code: Int] = [
        .uploadNotFound: 401, .checksumMismatch: 406, .duplicateValue: 614, .invalidContext: 701, .uploadConflict: 701,
    ]
}
