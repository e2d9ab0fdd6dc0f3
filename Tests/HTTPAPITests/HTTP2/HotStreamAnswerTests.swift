import Logging
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import NIOHTTPTypesHTTP2
import NIOPosix
import Testing

@testable import HTTPAPI

/// What hot downloads hold while their clients take nothing of them.
@Suite struct HotStreamAnswerTests {
    /// A stream whose client takes no byte of the response, as with a window of size 0.
    private final class StalledStream: ChannelOutboundHandler {
        typealias OutboundIn = HTTP2Frame.FramePayload

        private let channel = EmbeddedChannel()
        /// The status of the response; `nil` if there is none.
        private(set) var status: String?
        /// The number of frames with bytes of the body.
        private(set) var pieces = 0
        private var writes: [EventLoopPromise<Void>] = []

        /// Sends a request without a body.
        init(_ gate: StreamGate, _ target: String, method: String = "GET", tag: String? = nil) throws {
            try channel.pipeline.syncOperations.addHandlers([self, HTTP2FramePayloadToHTTPServerCodec(), gate])
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            var head: HPACKHeaders = [":method": method, ":scheme": "https", ":authority": "a", ":path": target]
            if let tag { head.add(name: "if-none-match", value: tag) }
            try channel.writeInbound(HTTP2Frame.FramePayload.headers(.init(headers: head, endStream: true)))
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            switch unwrapOutboundIn(data) {
            case .headers(let head): status = head.headers.first(name: ":status")
            case .data(let data) where data.data.readableBytes > 0: pieces += 1
            default: break
            }
            if let promise { writes.append(promise) }
        }

        /// Closes the stream, as a client that resets it.
        func close() throws {
            _ = try channel.finish()
            for write in writes { write.fail(ChannelError.ioOnClosedChannel) }
        }
    }

    private let downloads = HotDownloads(limits: HotDownloadLimits(), feeds: [])
    private let connection = EmbeddedChannel()
    private let streams: HTTP2Streams

    init() {
        streams = HTTP2Streams(on: connection, ConnectionActivity())
    }

    /// The handler of a new stream of the connection.
    private func gate(_ limit: StreamLimit) -> StreamGate {
        let logger = Logger(label: "test")
        var encryption = Encryption(
            threads: NIOThreadPool(numberOfThreads: 1),
            isTruncation: { _ in false },
            makeHandler: { InputEnd() }
        )
        encryption.files = .pieces { _, range, eventLoop in
            eventLoop.makeSucceededFuture(ByteBuffer(repeating: 1, count: range.count))
        }
        let services = ConnectionServices(
            hotDownloads: downloads,
            encryption: encryption,
            streams: limit,
            log: HotDownloadLog(logger: logger)
        )
        return StreamGate(services: services, streams: streams, logger: logger)
    }

    private func prepareFile() throws {
        let blob = try FragileFile()
        downloads.prepare("/file", .file(try #require(BlobFile(blob))))
    }

    @Test("a body from a file takes a place, as a request of a route does, until its stream closes")
    func places() throws {
        defer { _ = try? connection.finish() }
        try prepareFile()
        let limit = StreamLimit(most: 1)
        // The first one has the place of the connection.
        let first = try StalledStream(gate(limit), "/file")
        let second = try StalledStream(gate(limit), "/file")
        let third = try StalledStream(gate(limit), "/file")
        #expect([first, second, third].map(\.status) == ["200", "200", "503"])
        #expect([first, second].map(\.pieces) == [1, 1])
        try second.close()
        let fourth = try StalledStream(gate(limit), "/file")
        let fifth = try StalledStream(gate(limit), "/file")
        #expect([fourth, fifth].map(\.status) == ["200", "503"])
        try first.close()
        let sixth = try StalledStream(gate(limit), "/file")
        let seventh = try StalledStream(gate(limit), "/file")
        #expect([sixth, seventh].map(\.status) == ["200", "503"])
        for stream in [third, fourth, fifth, sixth, seventh] { try stream.close() }
    }

    @Test("a response without a file open is sent without a place")
    func withoutPlace() throws {
        defer { _ = try? connection.finish() }
        try prepareFile()
        let blob = try FragileFile()
        downloads.prepare("/bytes", .memory(ByteBuffer(string: "body")))
        downloads.prepare("/both", .memory(ByteBuffer(string: "body"), BlobFile(blob)))
        let limit = StreamLimit(most: 0)
        #expect(streams.takePlace())
        let answers = [
            try StalledStream(gate(limit), "/file"),
            try StalledStream(gate(limit), "/file", method: "HEAD"),
            try StalledStream(gate(limit), "/file", tag: "\"tag\""),
            try StalledStream(gate(limit), "/bytes"),
            try StalledStream(gate(limit), "/both"),
        ]
        #expect(answers.map(\.status) == ["503", "200", "304", "200", "200"])
        for answer in answers { try answer.close() }
    }

    @Test(
        "a response from memory lets the file close that its download has beside the bytes",
        arguments: ["GET", "HEAD"]
    )
    func releasedFile(method: String) throws {
        defer { _ = try? connection.finish() }
        weak var file: FragileFile?
        do {
            let blob = try FragileFile()
            downloads.prepare("/both", .memory(ByteBuffer(string: "body"), BlobFile(blob)))
            file = blob
        }
        let stream = try StalledStream(gate(StreamLimit()), "/both", method: method)
        #expect(stream.status == "200")
        // As further downloads displace it.
        downloads.remove(target: "/both")
        #expect(file == nil)
        try stream.close()
    }
}
