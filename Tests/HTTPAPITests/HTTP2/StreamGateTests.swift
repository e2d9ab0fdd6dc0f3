import HTTPTypes
import Logging
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2
import NIOPosix
import Testing

@testable import HTTPAPI

/// The frames that a stream sends of a route's response.
@Suite struct StreamGateTests {
    private enum Frame: Equatable {
        case head(fields: Int)
        case data
        case reset(NIOHTTP2.HTTP2ErrorCode)
    }

    private let channel = EmbeddedChannel()
    private let downloads = HotDownloads(limits: HotDownloadLimits(), feeds: [])

    init() throws {
        let logger = Logger(label: "test")
        // A pool that is not started refuses each read.
        let encryption = Encryption(
            threads: NIOThreadPool(numberOfThreads: 1),
            isTruncation: { _ in false },
            makeHandler: { InputEnd() }
        )
        let services = ConnectionServices(
            hotDownloads: downloads,
            encryption: encryption,
            log: HotDownloadLog(logger: logger)
        )
        let streams = HTTP2Streams(on: channel, ConnectionActivity())
        try channel.pipeline.syncOperations.addHandlers(
            HTTP2FramePayloadToHTTPServerCodec(),
            StreamGate(services: services, streams: streams, logger: logger)
        )
    }

    /// Sends a head with a field of a length, and returns whether that succeeded.
    private func send(_ name: HTTPField.Name, length: Int) -> Bool {
        let fields: HTTPFields = [name: String(repeating: "a", count: length), .eTag: "\"e\""]
        let head = HTTPResponse(status: .ok, headerFields: fields)
        let sent = channel.eventLoop.makePromise(of: Void.self)
        channel.writeAndFlush(HTTPResponsePart.head(head), promise: sent)
        return (try? sent.futureResult.wait()) != nil
    }

    /// The next frame; `nil` if there is none.
    private func frame() throws -> Frame? {
        let payload = try channel.readOutbound(as: HTTP2Frame.FramePayload.self)
        return switch payload {
        case .headers(let head)?: .head(fields: head.headers.count)
        case .data?: .data
        case .rstStream(let code)?: .reset(code)
        default: nil
        }
    }

    @Test("a head that fits into a frame is sent", arguments: [0, 1000, 20_000])
    func fitting(length: Int) throws {
        defer { _ = try? channel.finish() }
        #expect(send(.location, length: length))
        #expect(try frame() == .head(fields: 3))
    }

    @Test("a longer one resets the stream, and none of it is sent", arguments: [30_000, 100_000])
    func long(length: Int) throws {
        defer { _ = try? channel.finish() }
        #expect(!send(.location, length: length))
        #expect(try frame() == .reset(.internalError))
        #expect(try frame() == nil)
    }

    @Test("a body leaves in pieces of one frame each, so that each one shows that the client takes it")
    func pieces() throws {
        defer { _ = try? channel.finish() }
        #expect(send(.location, length: 0))
        _ = try frame()
        channel.writeAndFlush(HTTPResponsePart.body(ByteBuffer(repeating: 1, count: 40_000)), promise: nil)
        var sizes: [Int] = []
        while case .data(let data)? = try channel.readOutbound(as: HTTP2Frame.FramePayload.self) {
            sizes.append(data.data.readableBytes)
        }
        #expect(sizes == [16_384, 16_384, 7_232])
    }

    @Test("Date is that of the moment in which the response leaves")
    func date() throws {
        defer { _ = try? channel.finish() }
        let head = HTTPResponse(status: .ok, headerFields: [.date: "Thu, 01 Jan 1970 00:00:00 GMT"])
        channel.writeAndFlush(HTTPResponsePart.head(head), promise: nil)
        guard case .headers(let sent)? = try channel.readOutbound(as: HTTP2Frame.FramePayload.self) else {
            Issue.record("the head is missing")
            return
        }
        #expect(sent.headers["date"].count == 1)
        #expect(sent.headers.first(name: "date")?.contains("1970") == false)
    }

    @Test("a hot download that cannot be read closes its stream after every error")
    func failedRead() throws {
        defer { _ = try? channel.finish() }
        let blob = try FragileFile()
        downloads.prepare("/file", .file(try #require(BlobFile(blob))))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let head: HPACKHeaders = [":method": "GET", ":scheme": "https", ":authority": "a", ":path": "/file"]
        let headers = HTTP2Frame.FramePayload.Headers(headers: head, endStream: true)
        _ = try? channel.writeInbound(HTTP2Frame.FramePayload.headers(headers))
        guard case .head? = try frame() else {
            Issue.record("the head is missing")
            return
        }
        #expect(try frame() == nil)
        // The multiplexer resets a stream whose channel is closed before its end was sent.
        #expect(!channel.isActive)
        #expect(!blob.isDamaged)
    }

    @Test("fields that the client can do without are not sent in a longer one")
    func dispensable() throws {
        defer { _ = try? channel.finish() }
        #expect(send(.uploadMetadata, length: 30_000))
        #expect(try frame() == .head(fields: 2))
    }
}
