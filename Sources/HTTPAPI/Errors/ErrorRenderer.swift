internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOHTTP1

/// Turns every error into a status and a body: the only place that does (file-protocol 1.4, 9).
struct ErrorRenderer: RouterMiddleware {
    func handle(
        _ request: Request,
        context: APIContext,
        next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            return ErrorRenderer.response(to: error, context: context)
        }
    }

    /// The answer that an error becomes; what nobody foresaw is logged and answered with a bare 500.
    static func response(to error: any Error, context: APIContext) -> Response {
        let refusal = refusal(for: error)
        let rendering = renderings[refusal.code] ?? Rendering(.internalServerError, 1)
        if rendering.status.kind == .serverError {
            context.logger.error("Request failed", metadata: ["error": "\(error)"])
        } else {
            context.logger.debug("Request refused", metadata: ["error": "\(refusal)"])
        }
        var headers = HTTPFields()
        if rendering.status == .tooManyRequests { headers[.retryAfter] = "1" }
        let body: JSONValue = .object(["code": .integer(rendering.code), "error": .string(refusal.message)])
        return body.response(status: rendering.status, headers: headers)
    }

    private static func refusal(for error: any Error) -> ServiceError {
        switch error {
        case let error as ServiceError:
            error
        case let error as HTTPError where error.status == .notFound:
            ServiceError(.routeNotFound, "There is no such path or method.")
        case let error as HTTPError where error.status == .contentTooLarge:
            ServiceError(.payloadTooLarge, "The request body is too large.")
        case let error as HTTPError:
            ServiceError(.badRequest, error.body ?? "Bad request.")
        case is HTTPParserError:
            ServiceError(.badRequest, "The request's body ends before its announced length or is malformed.")
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

    /// Codes of the API are LeanCloud's; those of the file host are the status, as on Qiniu (file-protocol 5.10).
    private static let renderings: [ServiceError.Code: Rendering] = [
        .badRequest: Rendering(.badRequest, 1),
        .malformedJSON: Rendering(.badRequest, 107),
        .invalidFileName: Rendering(.badRequest, 122),
        .invalidACL: Rendering(.badRequest, 123),
        .unauthorized: Rendering(.unauthorized, 401),
        .forbidden: Rendering(.forbidden, 403),
        .objectNotFound: Rendering(.notFound, 101),
        .routeNotFound: Rendering(.notFound, 404),
        .fileNotFound: Rendering(.notFound, 404),
        .payloadTooLarge: Rendering(.contentTooLarge, 413),
        .badImageRequest: Rendering(.badRequest, 400),
        .notAnImage: Rendering(.badRequest, 400),
        .imageTooLarge: Rendering(.badRequest, 400),
        .overloaded: Rendering(.tooManyRequests, 429),
        .storageFull: Rendering(.init(code: 507, reasonPhrase: "Insufficient Storage"), 507),
        .internalFailure: Rendering(.internalServerError, 1),
    ]
}
