internal import Domain
internal import HTTPTypes

/// An error with the status and headers of its dialect, where they differ from those of the API.
struct DialectError: Error {
    let status: HTTPResponse.Status
    let refusal: ServiceError
    let headers: HTTPFields

    init(_ status: HTTPResponse.Status, _ refusal: ServiceError, _ headers: HTTPFields = [:]) {
        self.status = status
        self.refusal = refusal
        self.headers = headers
    }

    init(_ status: Int, _ message: String) {
        self.init(HTTPResponse.Status(code: status), ServiceError(.badRequest, message))
    }
}
