/// What a service refuses or fails with: a code for programs, a sentence for people, a cause for the log.
///
/// The sentence goes to the client word for word: it names the field and the limit, and holds no path, no SQL and no
/// library text. The HTTP status and the LeanCloud code of each ``Code`` stand in one table, HTTPAPI's
/// `ErrorRenderer`.
package struct ServiceError: Error, Sendable, CustomStringConvertible {
    /// The kinds of refusal; a new one breaks no `switch`, because callers compare and never enumerate.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        package static let badRequest = Code(description: "badRequest")
        package static let malformedJSON = Code(description: "malformedJSON")
        package static let invalidFileName = Code(description: "invalidFileName")
        package static let invalidACL = Code(description: "invalidACL")
        package static let unauthorized = Code(description: "unauthorized")
        package static let forbidden = Code(description: "forbidden")
        package static let objectNotFound = Code(description: "objectNotFound")
        package static let fileNotFound = Code(description: "fileNotFound")
        package static let routeNotFound = Code(description: "routeNotFound")
        package static let payloadTooLarge = Code(description: "payloadTooLarge")
        package static let badImageRequest = Code(description: "badImageRequest")
        package static let notAnImage = Code(description: "notAnImage")
        package static let imageTooLarge = Code(description: "imageTooLarge")
        package static let overloaded = Code(description: "overloaded")
        package static let storageFull = Code(description: "storageFull")
        package static let internalFailure = Code(description: "internalFailure")
    }

    package let code: Code
    package let message: String
    /// What went wrong underneath; for the log only.
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var description: String {
        cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
