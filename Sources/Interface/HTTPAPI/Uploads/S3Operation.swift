internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// The operations of S3 on objects and buckets, which an upload does not have, except PutObject.
///
/// S3 names an operation in the query string or in a header. Without this check, the body of such a request would
/// become the file, and the client would be told that its operation succeeded.
struct S3Operation {
    /// The query parameter or header that names the operation.
    private let mark: String

    /// Recognizes another operation than PutObject; `nil` for PutObject and for requests of other dialects.
    init?(_ request: Request) {
        let parameters = request.uri.queryParameters
        // S3 knows most of the names without a value only; with one they are parameters of an app.
        let isPut = request.method == .put
        let named = parameters.first { name, value in
            switch name {
            case "uploadId", "partNumber": true
            case "uploads": value.isEmpty
            default: isPut && value.isEmpty && S3Operation.subresources.contains(name)
            }
        }
        if let named {
            mark = "?\(named.key)"
        } else if isPut,
            let header = S3Operation.headers.first(where: { request.headers.contains(.known($0)) })
        {
            mark = header
        } else {
            return nil
        }
    }

    /// S3's answer to an operation that a store does not have; clients do not repeat the request then.
    var refusal: DialectError {
        DialectError(501, "The upload accepts only PutObject of S3, and \(mark) is another operation.")
    }

    private static let subresources: Set<Substring> = [
        "abac", "accelerate", "acl", "analytics", "cors", "encryption", "intelligent-tiering", "inventory",
        "legal-hold", "lifecycle", "logging", "metrics", "notification", "object-lock", "ownershipControls", "policy",
        "publicAccessBlock", "renameObject", "replication", "requestPayment", "retention", "tagging", "versioning",
        "website",
    ]
    private static let headers = ["x-amz-copy-source", "x-amz-rename-source", "x-amz-write-offset-bytes"]
}
