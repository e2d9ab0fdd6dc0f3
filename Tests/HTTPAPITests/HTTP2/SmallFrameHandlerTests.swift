import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPAPI

@Suite struct SmallFrameHandlerTests {
    private static let most = 3
    private static let preface = [UInt8]("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// The time of the handler, which tests set.
    private final class Clock {
        var time = NIODeadline.uptimeNanoseconds(1_000_000_000)
    }

    private let channel = EmbeddedChannel()
    private let clock = Clock()

    init() throws {
        let handler = SmallFrameHandler(most: SmallFrameHandlerTests.most) { [clock] in clock.time }
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    private func frame(_ type: UInt8, flags: UInt8 = 0, size: Int) -> [UInt8] {
        [0, UInt8(size >> 8), UInt8(size & 0xff), type, flags, 0, 0, 0, 1] + [UInt8](repeating: 0, count: size)
    }

    /// `DATA` frames that do not end their stream.
    private func data(_ count: Int, size: Int = 1) -> [UInt8] {
        (0..<count).flatMap { _ in frame(0, size: size) }
    }

    /// Receives bytes in buffers of a size.
    private func receive(_ bytes: [UInt8], by size: Int = .max) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(size)
            try channel.writeInbound(ByteBuffer(bytes: part))
            rest = rest.dropFirst(part.count)
        }
    }

    /// Returns the bytes that the handler passed on.
    private func passed() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let buffer = try channel.readInbound(as: ByteBuffer.self) { bytes += buffer.readableBytesView }
        return bytes
    }

    /// Whether the handler sent a `GOAWAY` since the last call.
    private func sentGoAway() throws -> Bool {
        try channel.readOutbound(as: ByteBuffer.self) != nil
    }

    @Test("small frames up to the limit are passed on")
    func limit() throws {
        let bytes = SmallFrameHandlerTests.preface + data(SmallFrameHandlerTests.most)
        try receive(bytes)
        #expect(try passed() == bytes)
        #expect(try !sentGoAway())
    }

    @Test("one more ends the connection with ENHANCE_YOUR_CALM")
    func excess() throws {
        try receive(SmallFrameHandlerTests.preface + data(SmallFrameHandlerTests.most + 1))
        let goAway: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 11]
        #expect(try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(bytes: goAway))
    }

    @Test("after the end one GOAWAY is sent, and no byte is passed on")
    func end() throws {
        try receive(SmallFrameHandlerTests.preface + data(SmallFrameHandlerTests.most + 1))
        try receive(data(10))
        #expect(try sentGoAway())
        #expect(try !sentGoAway())
        #expect(try passed().isEmpty)
    }

    @Test("frames are recognized wherever buffers end", arguments: 1...40)
    func split(size: Int) throws {
        let bytes = SmallFrameHandlerTests.preface + data(SmallFrameHandlerTests.most)
        try receive(bytes, by: size)
        #expect(try passed() == bytes)
        #expect(try !sentGoAway())
        try receive(data(1), by: size)
        #expect(try sentGoAway())
    }

    @Test("a frame whose head is split at any byte is counted", arguments: 1..<9)
    func splitHead(position: Int) throws {
        try receive(SmallFrameHandlerTests.preface + data(SmallFrameHandlerTests.most))
        let last = data(1)
        try receive([UInt8](last[..<position]))
        #expect(try !sentGoAway())
        try receive([UInt8](last[position...]))
        #expect(try sentGoAway())
    }

    @Test("the preface is no frame")
    func preface() throws {
        // Its first nine bytes would be the head of a frame of five megabytes that hides the next ones.
        try receive(SmallFrameHandlerTests.preface, by: 5)
        try receive(data(SmallFrameHandlerTests.most + 1))
        #expect(try sentGoAway())
    }

    @Test("frames of 256 bytes and more are not small", arguments: [(255, true), (256, false), (1000, false)])
    func size(_ size: Int, isSmall: Bool) throws {
        try receive(SmallFrameHandlerTests.preface + data(SmallFrameHandlerTests.most + 1, size: size))
        #expect(try sentGoAway() == isSmall)
    }

    @Test("empty frames are small")
    func empty() throws {
        try receive(SmallFrameHandlerTests.preface + data(SmallFrameHandlerTests.most + 1, size: 0))
        #expect(try sentGoAway())
    }

    @Test("the last frame of a body is not counted")
    func last() throws {
        let frames = (0..<10).flatMap { _ in frame(0, flags: 1, size: 1) }
        try receive(SmallFrameHandlerTests.preface + frames)
        #expect(try !sentGoAway())
    }

    @Test("frames of other types are not counted", arguments: UInt8(1)...9)
    func other(type: UInt8) throws {
        let frames = (0..<10).flatMap { _ in frame(type, size: 8) }
        try receive(SmallFrameHandlerTests.preface + frames)
        #expect(try !sentGoAway())
    }

    @Test("bytes of a body that look like frames are not counted")
    func body() throws {
        let body = (0..<100).flatMap { _ in data(1) }
        let head: [UInt8] = [0, UInt8(body.count >> 8), UInt8(body.count & 0xff), 0, 0, 0, 0, 0, 1]
        try receive(SmallFrameHandlerTests.preface + head + body, by: 7)
        #expect(try !sentGoAway())
    }

    @Test("after the window the count begins anew")
    func nextWindow() throws {
        try receive(SmallFrameHandlerTests.preface + data(SmallFrameHandlerTests.most))
        clock.time = clock.time + HTTP2Limits.window
        // The frame that exceeds the limit begins the next window and does not count in it.
        try receive(data(1))
        try receive(data(SmallFrameHandlerTests.most))
        #expect(try !sentGoAway())
        try receive(data(1))
        #expect(try sentGoAway())
    }

    @Test("before the end of the window it does not")
    func sameWindow() throws {
        try receive(SmallFrameHandlerTests.preface + data(SmallFrameHandlerTests.most))
        clock.time = clock.time + HTTP2Limits.window - .nanoseconds(1)
        try receive(data(1))
        #expect(try sentGoAway())
    }
}
