internal import NIOCore
internal import NIOWebSocket

/// Checks the frames of a client (RFC 6455 sections 5.1, 5.2): masked, without extensions, of known kinds.
///
/// NIO's decoder does not check this, because it also reads the frames of servers and extensions.
final class FrameRules: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame

    /// A frame breaks a rule.
    struct Violation: Error {}

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        let isPlain = !frame.rsv1 && !frame.rsv2 && !frame.rsv3
        switch frame.opcode {
        case .continuation, .text, .binary, .connectionClose, .ping, .pong:
            guard frame.maskKey != nil, isPlain else { fallthrough }
            context.fireChannelRead(data)
        default:
            context.fireErrorCaught(Violation())
        }
    }
}
