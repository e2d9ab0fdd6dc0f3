internal import NIOCore
internal import NIOHTTP2

extension ByteBuffer {
    /// A `GOAWAY` frame whose last stream is the highest possible one (RFC 9113 section 6.8).
    ///
    /// It is written below NIO's handler, whose state it does not change.
    static func goAway(_ code: HTTP2ErrorCode) -> ByteBuffer {
        var frame = ByteBuffer()
        frame.writeBytes([0, 0, 8, 7, 0])
        frame.writeInteger(UInt32(0))
        frame.writeInteger(UInt32(Int32.max))
        frame.writeInteger(UInt32(code.networkCode))
        return frame
    }
}
