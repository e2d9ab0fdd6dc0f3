internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// JSON that is already encoded.
struct RawJSON {
    /// Its bytes.
    let text: ByteBuffer

    init(_ text: ByteBuffer) {
        self.text = text
    }

    /// The JSON as a response of the API (protocol/files 1.4).
    func response(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Response {
        // Most responses have no others, and each change of a field looks for earlier ones.
        guard !headers.isEmpty else {
            return Response(status: status, headers: RawJSON.fields, body: ResponseBody(byteBuffer: text))
        }
        var headers = headers
        for field in RawJSON.fields { headers[field.name] = field.value }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: text))
    }

    private static let fields: HTTPFields = [
        .contentType: "application/json;charset=utf-8", .cacheControl: "no-cache,no-store", .pragma: "no-cache",
    ]
}

extension JSONValue {
    /// The value as a response of the API.
    func response(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Response {
        RawJSON(ByteBuffer(bytes: encoded())).response(status: status, headers: headers)
    }
}

extension HTTPField.Name {
    /// Creates a header name from a literal; an invalid name is a programming error, which the first test detects.
    static func known(_ name: String) -> HTTPField.Name {
        guard let field = HTTPField.Name(name) else { preconditionFailure("\(name) is no header name") }
        return field
    }

    static let pragma = known("Pragma")
}
