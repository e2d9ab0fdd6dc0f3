internal import Domain
internal import HTTPTypes

/// A refusal with the status that its dialect has for it, where that is another than the API's.
struct DialectError: Error {
    let status: HTTPResponse.Status
    let refusal: ServiceError

    init(_ status: HTTPResponse.Status, _ refusal: ServiceError) {
        self.status = status
        self.refusal = refusal
    }

    init(_ status: Int, _ sentence: String) {
        self.init(HTTPResponse.Status(code: status), ServiceError(.badRequest, sentence))
    }
}
