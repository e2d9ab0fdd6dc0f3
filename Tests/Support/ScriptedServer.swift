internal import Glibc
internal import Synchronization

/// A request as it came over the wire.
package struct ReceivedRequest: Sendable {
    package let method: String
    package let path: String
    /// By names in lower case.
    package let headers: [String: String]
    package let body: [UInt8]
}

/// The answer to a request.
package struct ScriptedReply: Sendable {
    /// The status; 0 closes the connection without an answer.
    package var status: Int
    package var headers: [String]
    package var body: [UInt8]
    /// The number of bytes of the body that are sent before the connection ends; `nil` for all.
    package var cut: Int?
    /// Whether the connection stays open behind the cut until the client closes it.
    package var stalls: Bool
    /// Whether the head has the length of the body; without it the end of the connection is the end of the body.
    package var hasLength = true

    package init(
        status: Int = 200,
        headers: [String] = [],
        body: [UInt8] = [],
        cut: Int? = nil,
        stalls: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.cut = cut
        self.stalls = stalls
    }

    package static func json(_ text: String, status: Int = 200, _ headers: String...) -> ScriptedReply {
        ScriptedReply(status: status, headers: headers, body: Array(text.utf8))
    }
}

/// An HTTP server on a loopback address whose answers a closure gives; one request a connection, on its own thread.
package final class ScriptedServer: Sendable {
    package let url: String
    private let listener: CInt
    private let received = Mutex<[ReceivedRequest]>([])
    private let answer: @Sendable (_ request: ReceivedRequest, _ number: Int) -> ScriptedReply

    /// The requests so far.
    package var requests: [ReceivedRequest] { received.withLock { $0 } }

    package init(_ answer: @escaping @Sendable (_ request: ReceivedRequest, _ number: Int) -> ScriptedReply) throws {
        self.answer = answer
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw Broken() }
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        let thread = Unmanaged.passRetained(self)
        var id = pthread_t()
        pthread_create(
            &id,
            nil,
            { argument in
                if let argument { Unmanaged<ScriptedServer>.fromOpaque(argument).takeRetainedValue().serve() }
                return nil
            },
            thread.toOpaque()
        )
        pthread_detach(id)
    }

    /// Ends the server.
    package func close() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func serve() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            if let request = read(connection) {
                let number = received.withLock { list in
                    list.append(request)
                    return list.count
                }
                send(answer(request, number), to: request, on: connection)
            }
            Glibc.close(connection)
        }
        Glibc.close(listener)
    }

    private func read(_ connection: CInt) -> ReceivedRequest? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        var end: Int?
        while end == nil {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
            end = bytes.indices.dropLast(3).first { Array(bytes[$0..<$0 + 4]) == [13, 10, 13, 10] }
        }
        guard let end else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = lines[0].split(separator: " ")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        if headers["expect"] != nil { write("HTTP/1.1 100 Continue\r\n\r\n", connection) }
        var body = Array(bytes[(end + 4)...])
        let size = Int(headers["content-length"] ?? "0") ?? 0
        while body.count < size {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            body += buffer[..<count]
        }
        return ReceivedRequest(method: String(words[0]), path: String(words[1]), headers: headers, body: body)
    }

    private func send(_ reply: ScriptedReply, to request: ReceivedRequest, on connection: CInt) {
        guard reply.status > 0 else { return }
        let length = reply.hasLength ? ["Content-Length: \(reply.body.count)"] : []
        let head = ["HTTP/1.1 \(reply.status) Said", "Connection: close"] + length
        write((head + reply.headers).joined(separator: "\r\n") + "\r\n\r\n", connection)
        guard request.method != "HEAD" else { return }
        write(Array(reply.body.prefix(reply.cut ?? reply.body.count)), connection)
        var byte: UInt8 = 0
        while reply.stalls, recv(connection, &byte, 1, 0) > 0 {}
    }

    private func write(_ text: String, _ connection: CInt) {
        write(Array(text.utf8), connection)
    }

    private func write(_ bytes: [UInt8], _ connection: CInt) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
