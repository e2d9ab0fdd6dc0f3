internal import Domain
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket
internal import RealtimeMessages

/// A client's request to use a connection as a WebSocket (RFC 6455 section 4.2.1), checked.
struct WebSocketHandshake {
    /// The path of the WebSocket (protocol/data 8.2).
    static let path = "/v1/ws"

    /// The sub-protocol: the first one that the client offers and the server has.
    let format: RealtimeFormat
    /// The app that the address names, as `GET /v1/route` gives it; `nil` for other addresses.
    private(set) var app: AppID?
    /// The client address by which limits count; `nil` if it has no limit.
    var address: String?

    /// What is wrong with a request.
    enum Fault: Error, Equatable {
        /// It does not ask for a WebSocket.
        case isNone
        case version
        case key
        case format

        var message: String {
            switch self {
            case .isNone:
                "\(WebSocketHandshake.path) is a WebSocket: send Connection: Upgrade and Upgrade: websocket."
            case .version:
                "Sec-WebSocket-Version must be 13."
            case .key:
                "Sec-WebSocket-Key must be the Base64 of 16 bytes."
            case .format:
                "Sec-WebSocket-Protocol must offer one of "
                    + RealtimeFormat.allCases.map(\.rawValue).joined(separator: ", ") + "."
            }
        }
    }

    /// Checks the fields of a `GET` request of HTTP/1.1.
    ///
    /// - Parameter values: Returns the values of all fields with a name.
    /// - Throws: What is wrong with them.
    init(values: (String) -> [String]) throws(Fault) {
        guard values("Connection").listed.contains("upgrade"), values("Upgrade").listed.contains("websocket") else {
            throw .isNone
        }
        guard values("Sec-WebSocket-Version") == ["13"] else { throw .version }
        let keys = values("Sec-WebSocket-Key")
        guard let key = keys.first, keys.count == 1, WebSocketHandshake.isKey(key) else { throw .key }
        let offered = values("Sec-WebSocket-Protocol").flatMap(\.elements)
        guard let format = offered.lazy.compactMap({ RealtimeFormat(rawValue: $0) }).first else { throw .format }
        self.format = format
    }

    /// Whether a text is the Base64 of 16 bytes: 22 characters of the alphabet and the padding.
    private static func isKey(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 24 && bytes.suffix(2).allSatisfy { $0 == UInt8(ascii: "=") }
            && bytes.prefix(22).allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                    true
                default:
                    false
                }
            }
    }
}

extension WebSocketHandshake {
    /// The handshake of a request that the connection has just received; `nil` if its route has to answer.
    init?(_ head: HTTPRequestHead) {
        let target = head.uri.originForm
        guard head.method == .GET, head.version == .http1_1, head.hasNoBody,
            target.prefix(while: { $0 != "?" }) == WebSocketHandshake.path,
            let handshake = try? WebSocketHandshake(values: { head.headers[$0] })
        else { return nil }
        self = handshake
        let query = target.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init)
        app = (try? ObjectParameters(query: query))?.text("appId").flatMap { AppID($0) }
    }

    /// The response that accepts the handshake.
    func response(to head: HTTPRequestHead, on channel: any Channel) -> EventLoopFuture<HTTPResponseHead> {
        let upgrader = NIOWebSocketServerUpgrader(
            shouldUpgrade: { [format] channel, _ in
                channel.eventLoop.makeSucceededFuture(["Sec-WebSocket-Protocol": format.rawValue])
            },
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() }
        )
        return upgrader.buildUpgradeResponse(channel: channel, upgradeRequest: head, initialResponseHeaders: [:])
            .map { HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: $0) }
    }
}

extension HTTPRequestHead {
    fileprivate var hasNoBody: Bool {
        !headers.contains(name: "Transfer-Encoding") && headers["Content-Length"].allSatisfy { $0 == "0" }
    }
}

extension String {
    /// The path and the query of a request target, also of one in absolute form (RFC 9112 section 3.2.2).
    fileprivate var originForm: Substring {
        let scheme = prefix { $0 != ":" }.lowercased()
        guard scheme == "http" || scheme == "https", dropFirst(scheme.count).hasPrefix("://") else { return self[...] }
        return dropFirst(scheme.count + 3).drop { $0 != "/" && $0 != "?" }
    }

    /// The elements of a list (RFC 9110 section 5.6.1), trimmed.
    fileprivate var elements: [String] {
        split(separator: ",").map { element in
            let rest = element.drop { $0 == " " || $0 == "\t" }
            return String(rest.prefix(while: { $0 != " " && $0 != "\t" }))
        }
    }
}

extension [String] {
    /// The elements of all lists, in lower case.
    fileprivate var listed: [String] { flatMap(\.elements).map { $0.lowercased() } }
}
