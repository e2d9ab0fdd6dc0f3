internal import Domain
internal import NIOCore
internal import NIOHTTP1

/// The refusal of a request whose head or framing violates RFC 9110 or RFC 9112, or that the server cannot take now.
///
/// The connection ends with the response, because the beginning of the next request is not known reliably.
struct RequestRefusal: Error, Equatable {
    let status: HTTPResponseStatus
    /// The message for the client; it names the field.
    let message: String

    /// The maximum bytes of a request line and its header fields together, and of one field.
    static let largestHead = 80 << 10
    /// The maximum number of header fields in a request.
    static let maxHeaders = 1000

    /// The refusal of a request of HTTP/2 beside others of its connection (``StreamLimit``).
    static let tooManyStreams = RequestRefusal(
        .serviceUnavailable,
        "Too many requests are processed at once (http.maxConnections); try again in a second."
    )

    /// The refusal of a WebSocket's handshake by a server that stops.
    static let stopping = RequestRefusal(
        .serviceUnavailable,
        "The server stops and opens no further WebSocket; connect again in a second."
    )

    init(_ status: HTTPResponseStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// The refusal for bytes that the parser rejects.
    init(_ error: HTTPParserError) {
        switch error {
        case .headerOverflow:
            self.init(
                .requestHeaderFieldsTooLarge,
                "The request's head must have at most \(RequestRefusal.largestHead) bytes and "
                    + "\(RequestRefusal.maxHeaders) header fields."
            )
        case .invalidVersion:
            self.init(.httpVersionNotSupported, "The server speaks HTTP/1.0 and HTTP/1.1 only.")
        case .invalidContentLength, .unexpectedContentLength:
            self.init(.badRequest, "Content-Length must be one number of bytes.")
        default:
            self.init(.badRequest, "The request is malformed.")
        }
    }

    /// The body in the form of the API's errors (protocol/files 1.4).
    var body: ByteBuffer {
        ByteBuffer(bytes: JSONValue.object(["code": .integer(1), "error": .string(message)]).encoded())
    }

    /// The head of the response that ends the connection.
    func head(length: Int) -> HTTPResponseHead {
        var headers: HTTPHeaders = [
            "Content-Type": "application/json;charset=utf-8",
            "Content-Length": String(length),
            "Connection": "close",
            "Date": Timestamp.now().httpDate,
        ]
        if status == .serviceUnavailable { headers.add(name: "Retry-After", value: "1") }
        return HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    }
}
