import NIOCore
import NIOEmbedded
import Support
import Testing

@testable import HTTPAPI

/// Requests that are answered on the event loop, past the decoder.
@Suite struct DirectRequestsTests {
    private func get(_ target: String, _ fields: String = "", method: String = "GET") -> String {
        "\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
    }

    /// Waits for a number of responses, of which the last one ends with a text.
    ///
    /// - Returns: All that was sent.
    private func text(_ connection: DirectConnection, endsWith end: String, count: Int = 1) async throws -> String {
        var all = ""
        try await eventually {
            await connection.channel.testingEventLoop.run()
            all += try await connection.sent().joined()
            return all.ranges(of: "HTTP/1.1 ").count == count && all.hasSuffix(end)
        }
        return all
    }

    @Test("a short response leaves in one write before the next read, and its route runs on the event loop")
    func now() async throws {
        let connection = try await DirectConnection()
        for _ in 0..<2 {
            try await connection.send(get("/now"))
            let sent = try await connection.sent()
            #expect(sent.count == 1)
            #expect(sent.first?.hasPrefix("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nDate: ") == true)
            #expect(sent.first?.hasSuffix("\r\nServer: lcfile\r\n\r\nnow") == true)
        }
        #expect(connection.begunOnEventLoop == [true, true])
        #expect(try await connection.routed() == [])
        #expect(connection.metrics.inProgress == 0)
        #expect(connection.metrics.counts.map(\.value) == [2])
        #expect(connection.metrics.bytes(of: .files).sent == 6)
    }

    @Test("requests in one write are answered in their order, also more than the event loop answers in a row")
    func row() async throws {
        let connection = try await DirectConnection()
        try await connection.send((0..<100).map { get("/\($0)") }.joined())
        let all = try await text(connection, endsWith: "99", count: 100)
        let bodies = all.split(separator: "\r\n\r\n").dropFirst().map { $0.prefix { $0.isNumber } }
        #expect(bodies == (0..<100).map { "\($0)" })
        #expect(try await connection.routed() == [])
    }

    @Test("a long response does not occupy the event loop: requests behind it reach the task of the connection")
    func long() async throws {
        let connection = try await DirectConnection()
        try await connection.send(get("/long") + get("/behind"))
        #expect(try await text(connection, endsWith: "x").hasPrefix("HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n"))
        #expect(try await connection.routed() == ["/behind"])
    }

    @Test("a request behind a direct one reaches the task of the connection after the response")
    func order() async throws {
        let connection = try await DirectConnection()
        try await connection.send(get("/later"))
        try await connection.send(get("/behind"))
        #expect(try await connection.routed() == [])
        #expect(try await connection.sent() == [])
        connection.respondLater()
        #expect(try await text(connection, endsWith: "later").hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(try await connection.routed() == ["/behind"])
        try await connection.answer()
        #expect(try await text(connection, endsWith: "\r\n\r\n").hasPrefix("HTTP/1.1 202 Accepted\r\n"))
        try await connection.send(get("/now"))
        #expect(try await text(connection, endsWith: "now").hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test("the rest of a request whose head came with a direct one reaches the task with its body")
    func body() async throws {
        let connection = try await DirectConnection()
        try await connection.send(get("/later") + get("/body", "Content-Length: 4\r\n", method: "POST") + "ab")
        try await connection.send("cd")
        connection.respondLater()
        _ = try await text(connection, endsWith: "later")
        #expect(try await connection.routed() == ["/body"])
    }

    @Test("the end of the input reaches the task of the connection after the response")
    func halfClosed() async throws {
        let connection = try await DirectConnection()
        let inputEnd = InputEnd()
        try await connection.channel.pipeline.addHandler(inputEnd).get()
        try await connection.send(get("/later"))
        try await connection.endInput()
        #expect(!inputEnd.hasArrived)
        connection.respondLater()
        _ = try await text(connection, endsWith: "later")
        #expect(inputEnd.hasArrived)
    }

    @Test(
        "the end of the input behind bytes that are no request waits until the socket has accepted the response",
        arguments: ["\r\n", "GET /x HT", "GET /x HTTP/1.1\r\nHost: a\r\nX"]
    )
    func halfClosedWhileTheSocketIsFull(tail: String) async throws {
        let connection = try await DirectConnection()
        let socket = FullSocket()
        let inputEnd = InputEnd()
        try await connection.channel.pipeline.addHandler(socket, position: .first).get()
        try await connection.channel.pipeline.addHandler(inputEnd).get()
        try await connection.send(get("/long") + tail)
        try await eventually {
            await connection.channel.testingEventLoop.run()
            return socket.held > 20_000
        }
        try await connection.endInput()
        #expect(!inputEnd.hasArrived)
        try await connection.channel.testingEventLoop.executeInContext { socket.accept() }
        try await eventually {
            await connection.channel.testingEventLoop.run()
            return inputEnd.hasArrived
        }
        #expect(try await connection.sent().joined().contains(String(repeating: "x", count: 20_000)))
    }

    @Test("a request takes the way of the decoder while the socket does not accept earlier responses")
    func congested() async throws {
        let connection = try await DirectConnection()
        connection.channel.isWritable = false
        try await connection.send(get("/now"))
        #expect(try await connection.routed() == ["/now"])
        try await connection.answer()
        _ = try await text(connection, endsWith: "\r\n\r\n")
        connection.channel.isWritable = true
        try await connection.send(get("/now"))
        #expect(try await text(connection, endsWith: "now").hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(connection.begunOnEventLoop == [true])
    }

    @Test("no request is direct before the task of the connection has begun")
    func early() async throws {
        let connection = try await DirectConnection(isOpen: false)
        try await connection.send(get("/now"))
        #expect(try await connection.routed() == ["/now"])
        #expect(connection.begunOnEventLoop == [])
    }

    @Test("a request with a query string continues on another thread")
    func query() async throws {
        let connection = try await DirectConnection()
        try await connection.send(get("/now?a=b"))
        #expect(try await text(connection, endsWith: "now").hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(connection.begunOnEventLoop == [false])
    }

    @Test("a body of several pieces is sent in chunks")
    func pieces() async throws {
        let connection = try await DirectConnection()
        try await connection.send(get("/many"))
        let all = try await text(connection, endsWith: "0\r\n\r\n")
        #expect(all.hasSuffix("\r\n\r\n4\r\none \r\n4\r\ntwo \r\n5\r\nthree\r\n0\r\n\r\n"))
    }

    @Test("a response without a body ends with its head", arguments: [("GET", "/nothing"), ("HEAD", "/nothing")])
    func emptyBody(method: String, target: String) async throws {
        let connection = try await DirectConnection()
        try await connection.send(get(target, method: method))
        #expect(try await text(connection, endsWith: "\r\n\r\n").hasPrefix("HTTP/1.1 204 No Content\r\n"))
        try await connection.send(get("/now"))
        #expect(try await text(connection, endsWith: "now").hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test("the last response of a stopping server says so")
    func draining() async throws {
        let connection = try await DirectConnection()
        connection.connections.drain()
        try await connection.send(get("/now"))
        #expect(try await text(connection, endsWith: "now").contains("\r\nConnection: close\r\n"))
        try await connection.send(get("/now"))
        #expect(try await connection.sent() == [])
    }

    @Test("longer heads, other hosts and other methods take the way of the decoder")
    func others() async throws {
        let connection = try await DirectConnection()
        let long = get("/long-head", "X: " + String(repeating: "x", count: DirectRequests.longest) + "\r\n")
        for request in [long, "GET /host HTTP/1.1\r\nHost: a_b\r\n\r\n", get("/deleted", method: "DELETE")] {
            try await connection.send(request)
            #expect(try await connection.routed().count == 1)
            try await connection.answer()
            _ = try await connection.sent()
        }
        #expect(connection.begunOnEventLoop == [])
    }

    @Test("a client that leaves before the response ends the request")
    func gone() async throws {
        let connection = try await DirectConnection()
        try await connection.send(get("/later"))
        _ = try await connection.channel.finish(acceptAlreadyClosed: true)
        connection.respondLater()
        await connection.tasks.finish()
        #expect(connection.metrics.inProgress == 0)
        #expect(connection.metrics.cutOff(of: .files) == 1)
    }
}
