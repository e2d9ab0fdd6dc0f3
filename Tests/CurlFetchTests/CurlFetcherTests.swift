import Domain
import NIOCore
import Testing

@testable import CurlFetch

@Suite(.timeLimit(.minutes(5))) struct CurlFetcherTests {
    @Test("a file comes with its type", arguments: ["text/css", "Text/CSS; charset=utf-8"])
    func whole(type: String) async throws {
        let taken = Taken()
        try await LoopbackServer.with(["/a": .file("hello", "Content-Type: \(type)")]) { _, port in
            let head = try await fetch("http://127.0.0.1:\(port)/a") { await taken.take($0) }
            #expect(head.mediaType?.description == "text/css")
        }
        #expect(taken.text == "hello")
    }

    @Test("a type that makes no sense is none", arguments: ["nonsense", "a/b/c", ""])
    func noType(type: String) async throws {
        try await LoopbackServer.with(["/a": .file("hello", "Content-Type: \(type)")]) { _, port in
            let head = try await fetch("http://127.0.0.1:\(port)/a")
            #expect(head.mediaType == nil)
        }
    }

    @Test("a large file comes whole and in order, one piece at a time")
    func large() async throws {
        let body = (0..<80_000).map { "\($0) " }.joined()
        let taken = Taken()
        try await LoopbackServer.with(["/a": .file(body)]) { _, port in
            _ = try await fetch("http://127.0.0.1:\(port)/a") { await taken.take($0) }
        }
        #expect(taken.text == body)
        #expect(!taken.everOverlapped)
    }

    @Test("an empty file is one")
    func empty() async throws {
        let taken = Taken()
        try await LoopbackServer.with(["/a": .file("")]) { _, port in
            _ = try await fetch("http://127.0.0.1:\(port)/a") { await taken.take($0) }
        }
        #expect(taken.text.isEmpty)
    }

    @Test("a packed file stays packed")
    func packed() async throws {
        let taken = Taken()
        try await LoopbackServer.with(["/a": .file("hello", "Content-Encoding: gzip")]) { _, port in
            _ = try await fetch("http://127.0.0.1:\(port)/a") { await taken.take($0) }
        }
        #expect(taken.text == "hello")
    }

    @Test("the request tells the address, who asks, and nothing else")
    func request() async throws {
        try await LoopbackServer.with(["/a?b": .file("hello")]) { server, port in
            _ = try await fetch("http://127.0.0.1:\(port)/a?b#c")
            let lines = [
                "GET /a?b HTTP/1.1", "Host: 127.0.0.1:\(port)", "User-Agent: lcfile", "Accept: */*", "", "",
            ]
            #expect(server.requests == [lines.joined(separator: "\r\n")])
        }
    }

    // MARK: Size

    @Test("an announced size beyond the limit is refused before a byte is taken")
    func announced() async throws {
        let taken = Taken()
        let reply = Reply.answer(200, ["Content-Length: 1001"], "first", hangsUp: false)
        try await LoopbackServer.with(["/a": reply]) { _, port in
            let error = try await refusal(of: "http://127.0.0.1:\(port)/a", limits: FetchLimits(size: 1000)) {
                await taken.take($0)
            }
            #expect(error.code == .payloadTooLarge)
            #expect(error.message == "The file at url has more than 1000 bytes (fetch.maxSize).")
        }
        #expect(taken.text.isEmpty)
    }

    @Test("a size that was not announced is refused where it passes the limit")
    func unannounced() async throws {
        let taken = Taken()
        let body = String(repeating: "x", count: 500_000)
        try await LoopbackServer.with(["/a": .answer(200, [], body)]) { _, port in
            let error = try await refusal(of: "http://127.0.0.1:\(port)/a", limits: FetchLimits(size: 100_000)) {
                await taken.take($0)
            }
            #expect(error.code == .payloadTooLarge)
            #expect(error.message.contains("100000 bytes (fetch.maxSize)"))
        }
        #expect(taken.text.utf8.count <= 100_000)
    }

    @Test("a file of exactly the limit comes, announced or not", arguments: [["Content-Length: 5"], []])
    func exact(fields: [String]) async throws {
        let taken = Taken()
        try await LoopbackServer.with(["/a": .answer(200, fields, "hello")]) { _, port in
            _ = try await fetch("http://127.0.0.1:\(port)/a", limits: FetchLimits(size: 5)) { await taken.take($0) }
        }
        #expect(taken.text == "hello")
    }

    // MARK: Redirects

    @Test("a redirect is followed, and its body and type are not the file's", arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        let taken = Taken()
        let replies: [String: Reply] = [
            "/a": .redirect(to: "/b", status, "Content-Type: text/html"), "/b": .file("hello"),
        ]
        try await LoopbackServer.with(replies) { server, port in
            let head = try await fetch("http://127.0.0.1:\(port)/a") { await taken.take($0) }
            #expect(head.mediaType == nil)
            #expect(server.requests.count == 2)
        }
        #expect(taken.text == "hello")
    }

    @Test(
        "as many redirects as the limit are followed, and not one more",
        arguments: [(2, true), (1, false), (0, false)]
    )
    func redirects(limit: Int, succeeds: Bool) async throws {
        let replies: [String: Reply] = [
            "/a": .redirect(to: "/b"), "/b": .redirect(to: "/c"), "/c": .file("hello"),
        ]
        try await LoopbackServer.with(replies) { server, port in
            let url = "http://127.0.0.1:\(port)/a"
            if succeeds {
                _ = try await fetch(url, limits: FetchLimits(redirects: limit))
            } else {
                let error = try await refusal(of: url, limits: FetchLimits(redirects: limit))
                #expect(error.code == .badRequest)
                #expect(error.message == "url redirects more than \(limit) times (fetch.maxRedirects).")
            }
            #expect(server.requests.count == limit + 1)
        }
    }

    @Test(
        "a redirect leads to http and https alone, without a user name",
        arguments: [
            "file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x", "dict://127.0.0.1/x",
            "scp://127.0.0.1/x", "javascript:alert(1)", "http://user:word@127.0.0.1:1/", "http://[", "http://",
        ]
    )
    func otherProtocols(location: String) async throws {
        let taken = Taken()
        try await LoopbackServer.with(["/a": .redirect(to: location)]) { server, port in
            let error = try await refusal(of: "http://127.0.0.1:\(port)/a") { await taken.take($0) }
            #expect(error.code == .badRequest)
            #expect(server.requests.count == 1)
        }
        #expect(taken.text.isEmpty)
    }

    @Test("a redirect's endless body ends at the limit of a file")
    func endlessRedirect() async throws {
        // Without "Connection: close" libcurl reads on to the end of the body, which never comes.
        let head = "HTTP/1.1 302 Said\r\nLocation: /b\r\nTransfer-Encoding: chunked\r\n\r\nf4240\r\n"
        let body = ByteBuffer(string: head + String(repeating: "x", count: 500_000))
        try await LoopbackServer.with(["/a": Reply(bytes: body, hangsUp: false)]) { server, port in
            let error = try await refusal(of: "http://127.0.0.1:\(port)/a", limits: FetchLimits(size: 100_000))
            #expect(error.code == .payloadTooLarge)
            #expect(server.requests.count == 1)
        }
    }

    // MARK: Answers that are no file

    @Test(
        "an answer that is no file is refused, and nothing of it is taken",
        arguments: [404, 403, 401, 407, 500, 503, 300, 302, 206]
    )
    func status(status: Int) async throws {
        let taken = Taken()
        try await LoopbackServer.with(["/a": .answer(status, ["Content-Length: 5"], "sorry")]) { _, port in
            let error = try await refusal(of: "http://127.0.0.1:\(port)/a") { await taken.take($0) }
            #expect(error.code == .badRequest)
            #expect(error.message == "The server of url answered with status \(status) instead of the file.")
        }
        #expect(taken.text.isEmpty)
    }

    @Test("also one without a body", arguments: [404, 304])
    func bareStatus(status: Int) async throws {
        try await LoopbackServer.with(["/a": .answer(status, ["Content-Length: 0"], "")]) { _, port in
            let error = try await refusal(of: "http://127.0.0.1:\(port)/a")
            #expect(error.message.contains("status \(status) "))
        }
    }

    @Test("a file that breaks off is refused")
    func brokenOff() async throws {
        try await LoopbackServer.with(["/a": .answer(200, ["Content-Length: 100"], "hello")]) { _, port in
            let error = try await refusal(of: "http://127.0.0.1:\(port)/a")
            #expect(error.code == .badRequest)
            #expect(error.message == "The server of url closed the connection before the file was complete.")
        }
    }

    @Test("what speaks no HTTP is refused, and none of its bytes is taken", arguments: ["SSH-2.0-OpenSSH\r\n", ""])
    func otherServers(greeting: String) async throws {
        let taken = Taken()
        try await LoopbackServer.with(["/a": Reply(bytes: ByteBuffer(string: greeting))]) { _, port in
            let error = try await refusal(of: "http://127.0.0.1:\(port)/a") { await taken.take($0) }
            #expect(error.code == .badRequest)
        }
        #expect(taken.text.isEmpty)
    }
}
