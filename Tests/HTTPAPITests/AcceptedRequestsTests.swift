import NIOCore
import NIOEmbedded
import Support
import Synchronization
import Testing

@testable import HTTPAPI

/// Connections that are accepted while the server stops.
///
/// A writer that is dropped before its end ends this process, too.
@Suite struct AcceptedRequestsTests {
    private func channel(
        _ use: @escaping @Sendable (HTTPConnection.Requests) -> Void
    ) async throws -> NIOAsyncTestingChannel {
        let channel = NIOAsyncTestingChannel()
        try await channel.testingEventLoop.executeInContext {
            use(try HTTPConnection.Requests(wrappingChannelSynchronously: channel))
        }
        // NIO gives its own reference to the writer up now, unless the channel is closed already.
        try? await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        return channel
    }

    private func eventuallyClosed(_ channel: NIOAsyncTestingChannel) async throws {
        try await eventually {
            await channel.testingEventLoop.run()
            return !channel.isActive
        }
    }

    @Test("a connection that no task takes is closed")
    func untaken() async throws {
        let channel = try await channel { _ = AcceptedRequests($0) }
        try await eventuallyClosed(channel)
    }

    @Test("streams that no task takes are closed with their connection, or after it", arguments: [true, false])
    func untakenStreams(isClosed: Bool) async throws {
        let connection = NIOAsyncTestingChannel()
        try await connection.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        var streams: HTTP2Streams? = HTTP2Streams(on: connection, ConnectionActivity())
        if isClosed { _ = try await connection.finish() }
        let stream = try await channel { [streams] in streams?.append($0) }
        streams = nil
        if !isClosed { _ = try await connection.finish() }
        try await eventuallyClosed(stream)
    }

    @Test("requests that a task has taken go on")
    func taken() async throws {
        let accepted = Mutex<AcceptedRequests?>(nil)
        let channel = try await channel { requests in accepted.withLock { $0 = AcceptedRequests(requests) } }
        let requests = try #require(accepted.withLock { $0.take()?.take() })
        for _ in 0..<10 { await channel.testingEventLoop.run() }
        #expect(channel.isActive)
        async let end: Void = requests.executeThenClose { _, _ in }
        try await eventuallyClosed(channel)
        try await end
    }
}
