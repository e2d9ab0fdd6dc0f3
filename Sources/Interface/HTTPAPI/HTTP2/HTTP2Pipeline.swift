internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP2
internal import NIOHTTPTypesHTTP2

/// The handlers of a connection of HTTP/2, and those of each of its streams.
///
/// A stream is a channel of its own for one request. It has the handlers of a connection of HTTP/1.1 that concern a
/// request, so that routes need not know the version: ``ContinueHandler``, ``RequestTrailers``, ``ClientPresence``, and
/// ``StreamFileHandler`` in the place of ``SendFileHandler``.
struct HTTP2Pipeline {
    let services: ConnectionServices

    /// Adds the handlers.
    ///
    /// - Parameters:
    ///   - channel: The connection; called on its event loop.
    ///   - activity: Records since when the connection is idle.
    ///   - logger: Receives refused requests.
    /// - Returns: The requests for Hummingbird.
    /// - Throws: An error of NIO if the connection is closed.
    func configure(
        _ channel: any Channel,
        _ activity: ConnectionActivity,
        _ logger: Logger
    ) throws -> HTTP2Streams {
        let pipeline = channel.pipeline.syncOperations
        let streams = HTTP2Streams(on: channel, activity)
        let management = NIOHTTP2ServerConnectionManagementHandler(
            eventLoop: channel.eventLoop,
            // Times are those of HTTP2Lifetime, which also ends connections whose clients do not confirm it.
            configuration: .init(maxIdleTime: nil, maxAge: nil, maxGraceTime: nil, keepalive: nil)
        )
        try pipeline.addHandlers(
            GoAwayHandler(),
            SmallFrameHandler(most: services.http2.smallFrames),
            TableSizeHandler()
        )
        try pipeline.addHandler(
            NIOHTTP2Handler(
                mode: .server,
                eventLoop: channel.eventLoop,
                connectionConfiguration: services.http2.connection,
                streamConfiguration: services.http2.stream,
                streamDelegate: management.http2StreamDelegate
            ) { [services] stream in
                stream.eventLoop.makeCompletedFuture {
                    try stream.pipeline.syncOperations.addHandlers(
                        StreamWindowHandler(),
                        HTTP2FramePayloadToHTTPServerCodec(),
                        StreamGate(services: services, streams: streams, logger: logger)
                    )
                }
            }
        )
        try pipeline.addHandler(HTTP2Lifetime(idleTimeout: services.idleTimeout, activity: activity, logger: logger))
        try pipeline.addHandler(management)
        return streams
    }
}
