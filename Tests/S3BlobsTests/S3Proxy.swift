import Glibc
import Support
import Synchronization
import Testing

/// A proxy in front of the real store, which makes some requests fail.
final class S3Proxy: Sendable {
    /// What happens to a request.
    enum Fault: Sendable, Equatable {
        /// It is forwarded.
        case none
        /// The store does not get it; the status is that of the answer, or 0 for a closed connection.
        case refused(Int, code: String = "")
        /// The store gets it, and the connection ends before the answer.
        case unanswered
        /// The store gets it, and the body of the answer ends halfway.
        case half
        /// The store gets it, and the body of the answer stops halfway until the client closes the connection.
        case stalled
    }

    private let server: ScriptedServer
    private let log: Log

    private final class Log: Sendable {
        let requests = Mutex<[ReceivedRequest]>([])
        let fault: @Sendable (_ request: ReceivedRequest, _ number: Int) -> Fault

        init(_ fault: @escaping @Sendable (_ request: ReceivedRequest, _ number: Int) -> Fault) { self.fault = fault }
    }

    /// Starts the proxy.
    ///
    /// - Parameter fault: Decides about a request and its number, which begins with 1.
    /// - Throws: An error if it cannot listen.
    init(_ fault: @escaping @Sendable (_ request: ReceivedRequest, _ number: Int) -> Fault) throws {
        let port = try #require(S3Fixture.endpoint?.split(separator: ":").last.flatMap { UInt16($0) })
        let log = Log(fault)
        self.log = log
        server = try ScriptedServer { request, number in
            log.requests.withLock { $0.append(request) }
            switch log.fault(request, number) {
            case .none: return S3Proxy.forward(request, to: port)
            case .refused(let status, let code):
                return ScriptedReply(status: status, body: Array("<Error><Code>\(code)</Code></Error>".utf8))
            case .unanswered:
                _ = S3Proxy.forward(request, to: port)
                return ScriptedReply(status: 0)
            case .half, .stalled:
                var reply = S3Proxy.forward(request, to: port)
                reply.cut = reply.body.count / 2
                reply.stalls = log.fault(request, number) == .stalled
                return reply
            }
        }
    }

    /// The address for clients.
    var url: String { server.url }

    /// The requests so far.
    var requests: [ReceivedRequest] { log.requests.withLock(\.self) }

    /// The number of requests for bytes of blobs.
    var reads: Int { requests.count { $0.method == "GET" && $0.path.contains("/blobs/") } }

    func close() { server.close() }

    /// Sends a request to the store on a connection of its own.
    private static func forward(_ request: ReceivedRequest, to port: UInt16) -> ScriptedReply {
        let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { Glibc.close(connection) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { return ScriptedReply(status: 0) }
        // HTTP/1.0, so that the answer has no chunks and ends with the connection.
        var head = "\(request.method) \(request.path) HTTP/1.0\r\n"
        for (name, value) in request.headers where name != "connection" { head += "\(name): \(value)\r\n" }
        write(Array("\(head)\r\n".utf8) + request.body, connection)
        return reply(of: read(connection), isHead: request.method == "HEAD")
    }

    private static func reply(of answer: [UInt8], isHead: Bool) -> ScriptedReply {
        let end = answer.indices.dropLast(3).first { Array(answer[$0..<$0 + 4]) == [13, 10, 13, 10] }
        guard let end else { return ScriptedReply(status: 0) }
        let lines = String(decoding: answer[..<end], as: UTF8.self).split(separator: "\r\n")
        let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        var headers: [String] = []
        var length = 0
        for line in lines.dropFirst() {
            let name = line.prefix { $0 != ":" }.lowercased()
            if name == "content-length" { length = Int(line.dropFirst(15).drop { $0 == " " }) ?? 0 }
            if name != "content-length", name != "connection" { headers.append(String(line)) }
        }
        let body = isHead ? [UInt8](repeating: 0, count: length) : Array(answer[(end + 4)...])
        return ScriptedReply(status: status, headers: headers, body: body)
    }

    private static func read(_ connection: CInt) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    private static func write(_ bytes: [UInt8], _ connection: CInt) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
