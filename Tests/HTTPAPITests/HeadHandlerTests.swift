import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTPAPI

@Suite struct HeadHandlerTests {
    /// Counts what reaches the socket: the bytes of each flush.
    private final class Flushes: ChannelOutboundHandler {
        typealias OutboundIn = HTTPServerResponsePart

        var parts: [String] = []
        var flushed: [String] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            switch unwrapOutboundIn(data) {
            case .head: parts.append("head")
            case .body: parts.append("body")
            case .end: parts.append("end")
            }
            promise?.succeed()
        }

        func flush(context: ChannelHandlerContext) {
            if !parts.isEmpty { flushed.append(parts.joined(separator: " ")) }
            parts = []
        }
    }

    /// The flushes of parts that are each followed by a flush, as Hummingbird writes them.
    private func flushes(_ parts: HTTPServerResponsePart...) throws -> [String] {
        let channel = EmbeddedChannel()
        let flushes = Flushes()
        try channel.pipeline.syncOperations.addHandlers([flushes, HeadHandler()])
        for part in parts { channel.writeAndFlush(part, promise: nil) }
        return flushes.flushed
    }

    private func head(_ status: HTTPResponseStatus = .ok, length: Int?) -> HTTPServerResponsePart {
        var headers = HTTPHeaders()
        if let length { headers.add(name: "content-length", value: String(length)) }
        return .head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))
    }

    private let body = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: "{}")))

    @Test("the head of a short response leaves with the first piece of its body")
    func short() throws {
        #expect(try flushes(head(length: 2), body, .end(nil)) == ["head body", "end"])
        #expect(try flushes(head(length: HeadHandler.longest), body, body) == ["head body", "body"])
    }

    @Test("a head without a body leaves with the end")
    func noBody() throws {
        #expect(try flushes(head(length: 0), .end(nil)) == ["head end"])
        #expect(try flushes(head(.notModified, length: 10), .end(nil)) == ["head end"])
    }

    @Test("the heads of streams, long bodies and interim responses leave at once")
    func streams() throws {
        #expect(try flushes(head(length: nil), body, body, .end(nil)) == ["head", "body", "body", "end"])
        #expect(try flushes(head(length: HeadHandler.longest + 1), body) == ["head", "body"])
        #expect(try flushes(head(.continue, length: nil), head(length: 2), body) == ["head", "head body"])
    }

    @Test("responses that are written together leave together")
    func together() throws {
        let channel = EmbeddedChannel()
        let flushes = Flushes()
        try channel.pipeline.syncOperations.addHandlers([flushes, HeadHandler()])
        for _ in 0..<2 {
            channel.write(head(length: 2), promise: nil)
            channel.write(body, promise: nil)
            channel.write(HTTPServerResponsePart.end(nil), promise: nil)
        }
        channel.flush()
        #expect(flushes.flushed == ["head body end head body end"])
    }
}
