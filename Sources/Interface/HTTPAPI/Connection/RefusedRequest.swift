internal import NIOCore
internal import NIOHTTP1

/// A refused request that waits for the responses to all earlier ones.
struct RefusedRequest {
    let measured: MeasuredRequest
    private let refusal: RequestRefusal
    private let hasBody: Bool

    /// - Parameters:
    ///   - refusal: Why it is refused.
    ///   - head: Its head; `nil` for bytes that are no request.
    ///   - measured: The request in the metrics.
    init(_ refusal: RequestRefusal, of head: HTTPRequestHead?, measured: MeasuredRequest) {
        self.refusal = refusal
        self.measured = measured
        hasBody = head?.method != .HEAD
    }

    /// The status of the response.
    var status: Int { Int(refusal.status.code) }

    /// The number of bytes that the response has as its body.
    var bodySize: Int { hasBody ? refusal.body.readableBytes : 0 }

    /// The response, after which the connection ends.
    var response: [HTTPServerResponsePart] {
        let body = refusal.body
        let head = HTTPServerResponsePart.head(refusal.head(length: body.readableBytes))
        return hasBody ? [head, .body(.byteBuffer(body)), .end(nil)] : [head, .end(nil)]
    }
}
