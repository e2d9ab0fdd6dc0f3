internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import NIOHTTPTypes
internal import Synchronization

/// Stores the trailers of requests (RFC 9110 section 6.5), which Hummingbird does not pass on.
///
/// Only requests with a `Trailer` header are included. Such a request gets a number in an internal header, which
/// clients cannot set, and its route finds the trailers by that number. The state is used on its connection's event
/// loop; ``of(_:on:)`` is usable from any task.
final class RequestTrailers: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private var number = 0
    private var isPromised = false
    /// Trailers that were not read: a client can send the next requests before the first response.
    private var trailers: [Int: HTTPFields] = [:]

    private static let kept = 256

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(var request):
            // Only if it is present, because each change rebuilds the index of the fields.
            if request.headerFields.contains(.requestNumber) { request.headerFields[.requestNumber] = nil }
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

    /// The trailers of a request whose body was completely read; `nil` if the request has no `Trailer` header.
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
