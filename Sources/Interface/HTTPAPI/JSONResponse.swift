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

    /// The JSON as a response that counts as memory until it is sent, if it is long.
    ///
    /// - Parameters:
    ///   - share: The memory, which ends with the response.
    ///   - eventLoop: The event loop of the connection.
    /// - Returns: The response.
    func response(holding share: BodyMemory.Share, on eventLoop: any EventLoop) -> Response {
        var response = response()
        guard text.readableBytes > RawJSON.pieceLength else { return response }
        response.body = ResponseBody(contentLength: text.readableBytes) { [text] writer in
            // The compression takes the text as it is, because it would copy pieces.
            guard !(writer is BodyCollector) else {
                try await writer.write(text)
                return try await writer.finish(nil)
            }
            // Only a body of several pieces lasts until the client has read it: each waits until the sockets have
            // taken the one before. They are copies, so that the last one does not keep the whole text in memory,
            // which counts no more then.
            var rest = text
            while let piece = rest.readSlice(length: min(rest.readableBytes, RawJSON.pieceLength)),
                piece.readableBytes > 0
            {
                try await writer.write(ByteBuffer(buffer: piece))
                try await eventLoop.catchUp()
            }
            try await writer.finish(nil)
            withExtendedLifetime(share) {}
        }
        return response
    }

    /// The length in bytes of the pieces of a response that counts as memory.
    private static let pieceLength = 64 << 10

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
