internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOHTTP1

/// Renders every error as a status and a body, in this one place (protocol/files 1.4, 9).
struct ErrorRenderer: RouterMiddleware {
    func handle(
        _ request: Request,
        context: APIContext,
        next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            return ErrorRenderer.response(to: error, method: request.method, context: context)
        }
    }

    /// The response for an error; an unexpected error is logged and returned as a plain 500.
    static func response(to error: any Error, method: HTTPRequest.Method, context: APIContext) -> Response {
        let (rendering, body) = rendered(error, logger: context.logger)
        context.notes.note(message: refusal(for: error).message)
        var headers = (error as? DialectError)?.headers ?? [:]
        // LeanCloud answers 400 to too many SMS; clients that know the field can still wait.
        let code = refusal(for: error).code
        if [.tooManyRequests, .badGateway].contains(rendering.status) || [.tooManySMS, .unavailable].contains(code) {
            headers[.retryAfter] = String(refusal(for: error).retryAfter)
        }
        var response = body.response(status: rendering.status, headers: headers)
        // `private` for shared caches that do not know `no-store`: they must not send this refusal to other clients.
        if code == .unsignedURL { response.headers[.cacheControl] = "private, no-store" }
        // A client would treat the body as its next response (RFC 9110 section 9.3.2).
        if method == .head { response.leaveOutBody() }
        return response
    }

    /// The JSON body, for an item of a batch.
    static func json(of error: any Error, logger: Logger) -> JSONValue {
        rendered(error, logger: logger).body
    }

    /// The error and the status from which an upload dialect renders its own response.
    static func refusal(_ error: any Error, logger: Logger) -> (refusal: ServiceError, status: HTTPResponse.Status) {
        let (rendering, _) = rendered(error, logger: logger)
        return (refusal(for: error), rendering.status)
    }

    /// The code of the status that a request with the error gets, for replies that are not HTTP.
    static func status(of error: ServiceError) -> Int {
        (renderings[error.code]?.status ?? .internalServerError).code
    }

    private static func rendered(_ error: any Error, logger: Logger) -> (rendering: Rendering, body: JSONValue) {
        let refusal = refusal(for: error)
        var rendering = renderings[refusal.code] ?? Rendering(.internalServerError, 1)
        if let error = error as? DialectError { rendering = Rendering(error.status, rendering.code) }
        ErrorMetrics.count(error, as: refusal)
        // The change to a full or read-only storage, and the loss of a database or a store, are logged once: a line for
        // each refusal would fill the disk further.
        let isState = [.storageFull, .storageReadOnly, .unavailable].contains(refusal.code)
        // A client can request what the server does not have at any time.
        let isFailure = rendering.status.kind == .serverError && rendering.status != .notImplemented
        if isFailure, !isState {
            FailedRead(error)?.count()
            logger.error("Request failed", metadata: ["error": "\(error)"])
        } else {
            logger.debug("Request refused", metadata: ["error": "\(refusal)"])
        }
        return (rendering, .object(["code": .integer(rendering.code), "error": .string(refusal.message)]))
    }

    private static func refusal(for error: any Error) -> ServiceError {
        switch error {
        case let error as ServiceError:
            error
        case let error as DialectError:
            error.refusal
        case let error as HTTPError where error.status == .notFound:
            ServiceError(.routeNotFound, "There is no such path or method.")
        case let error as HTTPError where error.status == .contentTooLarge:
            ServiceError(.payloadTooLarge, "The request body is too large.")
        case let error as HTTPError:
            ServiceError(.badRequest, error.body ?? "Bad request.")
        case is HTTPParserError:
            ServiceError(.badRequest, "The request's body ends before its announced length or is malformed.")
        case let error where ClientDisconnection.causes(error):
            // No client receives it: the client disconnected, or the server stops. The log does not report it as a
            // failure.
            ServiceError(.badRequest, "The request was cancelled.")
        default:
            ServiceError(.internalFailure, "Internal error.", cause: error)
        }
    }

    private struct Rendering {
        let status: HTTPResponse.Status
        let code: Int64

        init(_ status: HTTPResponse.Status, _ code: Int64) {
            self.status = status
            self.code = code
        }
    }

    /// The codes of the API are LeanCloud's; on the file host the code is the status, as on Qiniu (protocol/files
    /// 5.10).
    private static let renderings: [ServiceError.Code: Rendering] = [
        .badRequest: Rendering(.badRequest, 1),
        .malformedJSON: Rendering(.badRequest, 107),
        .invalidFileName: Rendering(.badRequest, 122),
        .invalidACL: Rendering(.badRequest, 123),
        .invalidClassName: Rendering(.badRequest, 103),
        .invalidKey: Rendering(.badRequest, 105),
        .malformedPointer: Rendering(.badRequest, 106),
        .typeMismatch: Rendering(.badRequest, 111),
        .missingField: Rendering(.badRequest, 113),
        .objectTooLarge: Rendering(.badRequest, 116),
        .readOnlyField: Rendering(.badRequest, 117),
        .notAvailable: Rendering(.badRequest, 119),
        .masterKeyRequired: Rendering(.forbidden, 119),
        .invalidInnerKey: Rendering(.badRequest, 121),
        .timedOut: Rendering(.badRequest, 124),
        .invalidRelation: Rendering(.badRequest, 128),
        .duplicateValue: Rendering(.badRequest, 137),
        .cqlSyntax: Rendering(.badRequest, 300),
        .invalidGeoPoint: Rendering(.badRequest, 302),
        .noEffect: Rendering(.badRequest, 305),
        .missingUsername: Rendering(.badRequest, 200),
        .missingPassword: Rendering(.badRequest, 201),
        .usernameTaken: Rendering(.badRequest, 202),
        .emailTaken: Rendering(.badRequest, 203),
        .phoneTaken: Rendering(.badRequest, 214),
        .blankUsername: Rendering(.badRequest, 217),
        .blankPassword: Rendering(.badRequest, 218),
        .invalidEmail: Rendering(.badRequest, 125),
        .invalidPhone: Rendering(.badRequest, 127),
        .missingEmail: Rendering(.badRequest, 204),
        .emailNotFound: Rendering(.badRequest, 205),
        .emailNotVerified: Rendering(.badRequest, 216),
        .tooManyMails: Rendering(.tooManyRequests, 1),
        .missingPhone: Rendering(.badRequest, 212),
        .phoneNotFound: Rendering(.badRequest, 213),
        .phoneNotVerified: Rendering(.badRequest, 215),
        .tooManySMS: Rendering(.badRequest, 601),
        .codeMismatch: Rendering(.badRequest, 603),
        .invalidSMSTemplate: Rendering(.badRequest, 604),
        .wrongCaptcha: Rendering(.badRequest, 608),
        .invalidRoleName: Rendering(.badRequest, 139),
        .sessionRequired: Rendering(.forbidden, 206),
        .wrongPassword: Rendering(.badRequest, 210),
        .userNotFound: Rendering(.badRequest, 211),
        .lockedOut: Rendering(.badRequest, 219),
        .friendshipNotFound: Rendering(.badRequest, 221),
        .missingLinkedID: Rendering(.badRequest, 250),
        .invalidAuthData: Rendering(.badRequest, 251),
        .quotaExceeded: Rendering(.forbidden, 140),
        .tooManyUploads: Rendering(.tooManyRequests, 430),
        .uploadNotFound: Rendering(.notFound, 101),
        .uploadConflict: Rendering(.conflict, 1),
        .superseded: Rendering(.conflict, 1),
        .checksumMismatch: Rendering(.badRequest, 1),
        .invalidContext: Rendering(.badRequest, 1),
        .lengthRequired: Rendering(.lengthRequired, 1),
        .unauthorized: Rendering(.unauthorized, 401),
        .forbidden: Rendering(.forbidden, 403),
        .objectNotFound: Rendering(.notFound, 101),
        .routeNotFound: Rendering(.notFound, 404),
        .fileNotFound: Rendering(.notFound, 404),
        .blocked: Rendering(.forbidden, 403),
        .unsignedURL: Rendering(.forbidden, 403),
        .conflict: Rendering(.conflict, 1),
        .payloadTooLarge: Rendering(.contentTooLarge, 413),
        .badImageRequest: Rendering(.badRequest, 400),
        .notAnImage: Rendering(.badRequest, 400),
        .imageTooLarge: Rendering(.badRequest, 400),
        .imageTimedOut: Rendering(.badRequest, 400),
        .overloaded: Rendering(.tooManyRequests, 429),
        .originFailed: Rendering(.badGateway, 502),
        .storageFull: Rendering(.init(code: 507, reasonPhrase: "Insufficient Storage"), 507),
        // 503 is LeanCloud's code for a read-only app.
        .storageReadOnly: Rendering(.serviceUnavailable, 503),
        // 511 is LeanCloud's code for a service that is unavailable for some time; as a status it has another meaning
        // (RFC 6585), and load balancers know 503.
        .unavailable: Rendering(.serviceUnavailable, 511),
        .storageFailing: Rendering(.internalServerError, 1),
        .storageDamaged: Rendering(.internalServerError, 1),
        .internalFailure: Rendering(.internalServerError, 1),
    ]
}
