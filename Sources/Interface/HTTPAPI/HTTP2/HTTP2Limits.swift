internal import NIOCore
internal import NIOHTTP2

/// The limits of a connection of HTTP/2 (RFC 9113): what one client can make the server do; the first five are
/// settings.
///
/// A client that exceeds a limit on frames loses its connection with the error `ENHANCE_YOUR_CALM`.
package struct HTTP2Limits: Sendable {
    /// Whether clients can choose HTTP/2.
    package var isEnabled: Bool
    /// The maximum number of requests at once; the client waits with further ones.
    package var streams: Int
    /// The maximum number of requests that the client cancels within ``window``: each costs the server more than the
    /// client (CVE-2023-44487).
    package var resets: Int
    /// The maximum number of `SETTINGS`, `PING` and `PRIORITY` frames within ``window`` (CVE-2019-9512 and 9515).
    package var controlFrames: Int
    /// The maximum number of `DATA` frames of less than ``SmallFrameHandler/smallLength`` bytes within ``window``.
    package var smallFrames: Int

    /// The time within which frames are counted.
    static let window = TimeAmount.seconds(30)
    /// The maximum number of `CONTINUATION` frames of one head, which has at most ``RequestRefusal/largestHead`` bytes.
    static let continuations = 8
    /// The maximum size in bytes of the table of header fields for responses, also for a client that allows a larger one.
    static let headerTable: UInt32 = 4096
    /// The maximum number of bytes of the head of a response: those of a frame that every client accepts.
    static let responseHead = 16 << 10
    /// The maximum number of empty `DATA` frames in a row.
    static let emptyFrames = 4
    /// The maximum number of malformed requests of one connection.
    static let malformed = 100
    /// The number of streams that clients begin at once before they know ``streams``; many begin at most so many.
    static let streamsBeforeSettings = 100
    /// The bytes that a client can send on all streams of a connection before the server confirms some.
    static let connectionWindow = 8 << 20
    /// The bytes of a response that wait for the socket, for each stream, before its route pauses.
    static let waiting = 128 << 10

    /// Creates limits; the defaults are those of the settings.
    package init(
        isEnabled: Bool = true,
        streams: Int = 100,
        resets: Int = 200,
        controlFrames: Int = 1000,
        smallFrames: Int = 10_000
    ) {
        self.isEnabled = isEnabled
        self.streams = streams
        self.resets = resets
        self.controlFrames = controlFrames
        self.smallFrames = smallFrames
    }

    var connection: NIOHTTP2Handler.ConnectionConfiguration {
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: streams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: RequestRefusal.largestHead),
            HTTP2Setting(parameter: .initialWindowSize, value: StreamWindow.initial),
        ]
        // NIO takes a frame of a stream that it has reset for an error of the connection, unless it still remembers the
        // reset. A client that has not read it yet can send on all streams that it began. NIO's buffer holds one fewer
        // than a power of two that is not less than this number.
        configuration.maximumRecentlyResetStreams = max(streams, HTTP2Limits.streamsBeforeSettings) + 1
        configuration.maximumSequentialContinuationFrames = HTTP2Limits.continuations
        configuration.maximumSequentialEmptyDataFrames = HTTP2Limits.emptyFrames
        configuration.maximumConnectionGlitches = HTTP2Limits.malformed
        configuration.targetWindowSize = HTTP2Limits.connectionWindow
        configuration.controlFrameRateLimit.maximumCount = controlFrames
        configuration.controlFrameRateLimit.windowLength = HTTP2Limits.window
        return configuration
    }

    var stream: NIOHTTP2Handler.StreamConfiguration {
        var configuration = NIOHTTP2Handler.StreamConfiguration()
        configuration.targetWindowSize = StreamWindow.initial
        configuration.outboundBufferSizeHighWatermark = HTTP2Limits.waiting
        configuration.outboundBufferSizeLowWatermark = HTTP2Limits.waiting / 2
        configuration.streamResetFrameRateLimit.maximumCount = resets
        configuration.streamResetFrameRateLimit.windowLength = HTTP2Limits.window
        configuration.streamErrorRateLimit.maximumCount = HTTP2Limits.malformed
        configuration.streamErrorRateLimit.windowLength = HTTP2Limits.window
        return configuration
    }
}
