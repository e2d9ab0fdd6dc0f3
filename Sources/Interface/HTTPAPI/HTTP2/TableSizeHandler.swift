internal import NIOCore

/// Limits the table of header fields that NIO has for the responses of a connection of HTTP/2.
///
/// NIO takes the size of the table from the client's `SETTINGS_HEADER_TABLE_SIZE`, which has no maximum, and searches the
/// table for each field of each response. A server is allowed to have a smaller table (RFC 7541 section 4.2), so the
/// handler changes larger values to ``HTTP2Limits/headerTable`` before NIO reads them. It is placed between
/// ``SmallFrameHandler`` and NIO's handler. Used on its connection's event loop only.
final class TableSizeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var frames = FrameScanner()
    private var setting = LimitedSetting()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        var rest = bytes
        while let part = frames.next(in: &rest) {
            switch part {
            case .head:
                setting = LimitedSetting()
            case .payload(let frame?, let range) where frame.type == FrameHead.settings:
                // NIO refuses the malformed ones: those of a stream, and confirmations with settings.
                limit(&bytes, in: range)
            case .payload:
                break
            }
        }
        context.fireChannelRead(wrapInboundOut(bytes))
    }

    /// Limits the settings in bytes of a payload.
    private func limit(_ bytes: inout ByteBuffer, in range: Range<Int>) {
        for index in range {
            guard let byte = bytes.getInteger(at: index, as: UInt8.self) else { return }
            let limited = setting.next(byte)
            // A change copies the whole buffer.
            if limited != byte { bytes.setInteger(limited, at: index) }
        }
    }
}

/// The settings of a frame, of which each has two bytes of an identifier and four of a value (RFC 9113 section 6.5.1).
///
/// Each byte is decided when it arrives, because the next one can be in another buffer.
private struct LimitedSetting {
    /// How the bytes of the value so far compare with those of the limit.
    private enum Order {
        case equal
        case below
        case above
    }

    private var index = 0
    private var isTableSize = false
    private var order = Order.equal

    /// The limit in network byte order.
    private static let limit = (0..<4).map { UInt8(truncatingIfNeeded: HTTP2Limits.headerTable >> (24 - 8 * $0)) }

    /// Returns what NIO gets instead of the next byte.
    mutating func next(_ byte: UInt8) -> UInt8 {
        defer { index = (index + 1) % 6 }
        switch index {
        case 0:
            isTableSize = byte == 0
            order = .equal
        case 1:
            isTableSize = isTableSize && byte == 1
        case _ where isTableSize:
            let limit = LimitedSetting.limit[index - 2]
            if order == .equal, byte != limit { order = byte < limit ? .below : .above }
            if order == .above { return limit }
        default:
            break
        }
        return byte
    }
}
