internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import NIOHTTPTypes
internal import Synchronization

/// Keeps what stands behind a request's body (RFC 9110 section 6.5), which Hummingbird does not hand on.
///
/// Only of requests that promise it by a `Trailer` header; such a request gets a number, in a header of ours that no
/// client can set, by which its route finds them. Used on its connection's event loop, and asked from anywhere.
final class RequestTrailers: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private var number = 0
    private var isPromised = false
    /// Until they are asked for: a client may send the next requests before the first is answered.
    private var trailers: [Int: HTTPFields] = [:]

    private static let kept = 256

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(var request):
            request.headerFields[.requestNumber] = nil
            isPromised = request.headerFields.contains(.trailer)
            if isPromised {
                number += 1
                request.headerFields[.requestNumber] = String(number)
            }
            context.fireChannelRead(wrapInboundOut(.head(request)))
        case .end(let fields):
            if isPromised {
                trailers[number] = fields ?? [:]
                trailers[number - RequestTrailers.kept] = nil
            }
            context.fireChannelRead(data)
        case .body:
            context.fireChannelRead(data)
        }
    }

    /// What stood behind a request's body, once all of the body was read; `nil` if the request promised nothing.
    static func of(_ request: Request, on channel: any Channel) async throws -> HTTPFields? {
        guard let number = request.headers[.requestNumber].flatMap({ Int($0) }) else { return nil }
        return try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.handler(type: RequestTrailers.self)
                .trailers.removeValue(forKey: number)
        }.get()
    }
}

extension HTTPField.Name {
    fileprivate static let requestNumber = known("lcfile-request-number")
}
