import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@testable import HTTPAPI

/// Heads of direct requests and responses, compared with those of NIO's decoder and encoder.
@Suite struct DirectHeadsTests {
    /// The request that Hummingbird gets by the way of the decoder.
    private func decoded(_ text: String) throws -> HTTPRequest? {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([
            HTTP1Pipeline.decoder(), HTTP1ToHTTPServerCodec(secure: false),
        ])
        try channel.writeInbound(ByteBuffer(string: text))
        guard case .head(let head) = try channel.readInbound(as: HTTPRequestPart.self) else { return nil }
        return head
    }

    @Test(
        "a scanned request is the one of the decoder",
        arguments: [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD /a/b%20c?d=e&f#g HTTP/1.1\r\nhost:a:80\r\n\r\n",
            "GET //a/b HTTP/1.1\r\nHOST:  a\r\n\r\n", "GET /http://a/b HTTP/1.1\r\nX:\r\nHost: a\r\n\r\n",
            "GET /!\"$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~ HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\nCookie: a=b; c=d\r\nCookie: e=f\r\nAccept: x\r\naccept: y\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\nX-LC-Id:\t id \t\r\nX-LC-Key: key,master\r\nReferer: http://a/\u{e9}\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\n!#$%&'*+-.^_`|~0aZ: : x: \r\nConnection: keep-alive\r\n\r\n",
        ]
    )
    func requests(text: String) throws {
        let scan = RequestScan(ByteBuffer(string: text))
        #expect(scan.isDirect)
        #expect(scan.length == text.utf8.count)
        #expect(HTTPRequest(scanned: ByteBuffer(string: text), scheme: "http") == (try decoded(text)))
    }

    @Test(
        "a head is the one of the encoder",
        arguments: [
            HTTPResponse.Status.ok, .created, .partialContent, .found, .badRequest, .notFound,
            HTTPResponse.Status(code: 404), HTTPResponse.Status(code: 579, reasonPhrase: "Callback Failed"),
            HTTPResponse.Status(code: 612),
        ]
    )
    func responses(status: HTTPResponse.Status) throws {
        let fields: HTTPFields = [
            .contentType: "text/plain", .contentLength: "4", .eTag: "\"x\"", .server: "", .location: "http://a/\u{e9}",
        ]
        let head = HTTPResponse(status: status, headerFields: fields)
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([
            HTTPResponseEncoder(), HTTP1ToHTTPServerCodec(secure: false),
        ])
        try channel.writeOutbound(HTTPResponsePart.head(head))
        guard case .byteBuffer(let expected) = try channel.readOutbound(as: IOData.self) else {
            Issue.record("no bytes")
            return
        }
        let bytes = try #require(head.bytes(ByteBufferAllocator()))
        #expect(String(buffer: bytes) == String(buffer: expected))
    }

    @Test("heads that the encoder or the gate changes are left to them")
    func others() {
        func isDirect(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Bool {
            let head = HTTPResponse(status: status, headerFields: fields)
            return head.bytes(ByteBufferAllocator()) != nil
        }
        #expect(isDirect(.ok, [.contentLength: "4"]))
        #expect(!isDirect(.ok, [:]))
        #expect(!isDirect(.ok, [.contentLength: "4", .connection: "close"]))
        #expect(!isDirect(.ok, [.contentLength: "4", .transferEncoding: "chunked"]))
        #expect(!isDirect(.noContent, [.contentLength: "4"]))
        #expect(!isDirect(.notModified, [.contentLength: "4"]))
        #expect(!isDirect(.continue, [.contentLength: "4"]))
    }
}
