internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import NIOHTTPTypes

/// Sends `100 Continue` (RFC 9110 section 10.1.1) when the route first reads the body.
///
/// A client that expects it otherwise waits up to a second; if it were sent earlier, a client would send gigabytes
/// before it learns that its key is wrong. Used on its connection's event loop only.
final class ContinueHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The event that the route reads the body.
    struct BodyWanted: Sendable {}

    private var isAwaited = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let request) = unwrapInboundIn(data) {
            isAwaited = request.headerFields[.expect]?.lowercased() == "100-continue"
        }
        context.fireChannelRead(data)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyWanted else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        guard isAwaited else {
            promise?.succeed()
            return
        }
        isAwaited = false
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: promise)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head = unwrapOutboundIn(data) { isAwaited = false }
        context.write(data, promise: promise)
    }
}

extension Request {
    /// The request, whose body notifies the connection when it is first read, if the client waits for that.
    func askingForBody(on channel: any Channel) -> Request {
        guard headers.contains(.expect) else { return self }
        var request = self
        request.body = RequestBody(asyncSequence: AskedForBody(body: body, channel: channel))
        return request
    }
}

/// A body that fires ``ContinueHandler/BodyWanted`` before its first byte is awaited.
private struct AskedForBody: AsyncSequence, Sendable {
    let body: RequestBody
    let channel: any Channel

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: RequestBody.AsyncIterator
        var channel: (any Channel)?

        @concurrent mutating func next() async throws -> ByteBuffer? {
            if let channel {
                self.channel = nil
                try await channel.triggerUserOutboundEvent(ContinueHandler.BodyWanted()).get()
            }
            return try await base.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: body.makeAsyncIterator(), channel: channel)
    }
}
