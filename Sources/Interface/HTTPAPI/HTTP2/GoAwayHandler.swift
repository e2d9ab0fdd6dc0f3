internal import NIOCore

/// Closes a connection of HTTP/2 after a `GOAWAY` frame that names an error (RFC 9113 section 5.4.1).
///
/// NIO sends the frame and then ignores what the client sends, but leaves the connection open. It reports the errors of
/// connections and those of single streams alike, so the frame is what tells them apart. The handler is placed between
/// the socket and NIO's handler, which writes each frame as one buffer, except that the bytes of a `DATA` frame follow
/// its header as a second one. Used on its connection's event loop only.
final class GoAwayHandler: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// The types of frames (RFC 9113 section 6).
    private enum FrameType {
        static let data: UInt8 = 0
        static let goAway: UInt8 = 7
    }

    /// Whether the next buffer has the bytes of a `DATA` frame, which can look like a frame.
    private var isDataNext = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let isError = isError(unwrapOutboundIn(data))
        context.write(data, promise: promise)
        guard isError else { return }
        context.flush()
        // Deferred until NIO's handler, which is the caller, has reported the error.
        context.eventLoop.assumeIsolated().execute { context.close(promise: nil) }
    }

    /// Whether a buffer is a `GOAWAY` frame with another code than `NO_ERROR` (RFC 9113 sections 4.1 and 6.8).
    private func isError(_ data: IOData) -> Bool {
        guard !isDataNext else {
            isDataNext = false
            return false
        }
        guard case .byteBuffer(let frame) = data,
            let type = frame.getInteger(at: frame.readerIndex + 3, as: UInt8.self)
        else { return false }
        isDataNext = type == FrameType.data
        guard type == FrameType.goAway, let code = frame.getInteger(at: frame.readerIndex + 13, as: UInt32.self) else {
            return false
        }
        return code != 0
    }
}
