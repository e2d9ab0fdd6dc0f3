internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import NIOHTTPTypes
internal import Synchronization

/// Sends `100 Continue` (RFC 9110 section 10.1.1) when a route asks for it.
final class ContinueHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The event that the route reads a body for which the client waits with `100 Continue`.
    struct BodyWanted: Sendable {}

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyWanted else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: promise)
    }
}

extension Request {
    /// The request, whose body sends `100 Continue` before its first byte is awaited, if the client waits for that.
    ///
    /// The client otherwise waits up to a second; if it were sent earlier, a client would send gigabytes before it learns
    /// that its key is wrong. The state is that of one request and not of the connection, which reads the heads of later
    /// requests before the response to an earlier one. ``RequestGate`` ends the connection with a response that comes in
    /// the place of `100 Continue`.
    func askingForBody(on channel: any Channel) -> Request {
        guard headers[.expect]?.lowercased() == "100-continue" else { return self }
        var request = self
        request.body = RequestBody(asyncSequence: ExpectedBody(body: body, question: BodyQuestion(on: channel)))
        return request
    }
}

/// Asks a client once for the body of a request.
private final class BodyQuestion: Sendable {
    private let channel: any Channel
    private let isAsked = Atomic(false)

    init(on channel: any Channel) {
        self.channel = channel
    }

    func ask() async throws {
        guard !isAsked.exchange(true, ordering: .acquiringAndReleasing) else { return }
        try await channel.triggerUserOutboundEvent(ContinueHandler.BodyWanted()).get()
    }
}

/// A body for which the server asks when it is first read.
private struct ExpectedBody: AsyncSequence, Sendable {
    let body: RequestBody
    let question: BodyQuestion

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: RequestBody.AsyncIterator
        var question: BodyQuestion?

        @concurrent mutating func next() async throws -> ByteBuffer? {
            if let question {
                self.question = nil
                try await question.ask()
            }
            return try await base.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: body.makeAsyncIterator(), question: question)
    }
}
