import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import HTTPAPI

/// Clients that wait for `100 Continue` before they send a body.
@Suite struct ContinueTests {
    @Test("a route that reads the body asks for it once, and the connection continues")
    func asked() async throws {
        try await TestServer().test { client in
            let channel = try await NIOAsyncTestingChannel {
                try $0.pipeline.syncOperations.addHandler(ContinueHandler())
            }
            let response = try await client.execute(
                uri: "/1.1/files/a.txt",
                method: .post,
                headers: Who.client.headers.merging([.expect: "100-Continue"]),
                body: ByteBuffer(string: "hello"),
                on: channel
            )
            #expect(response.status == .created)
            let first = try await channel.readOutbound(as: HTTPResponsePart.self)
            #expect(first == .head(HTTPResponse(status: .continue)))
            #expect(try await channel.readOutbound(as: HTTPResponsePart.self) == nil)
        }
    }
}
