import Domain
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOWebSocket
import PCREPatterns
import RealtimeMessages
import Support
import Testing

@testable import HTTPAPI

/// A client's connection from its first byte: HTTP, and after a handshake frames.
final class LiveQueryConnection {
    let channel = EmbeddedChannel()
    let open = OpenConnections()
    let live: LiveConnections
    private var bytes = ByteBuffer()

    init(
        most: Int = .max,
        limits: LiveQueryLimits = LiveQueryLimits(),
        apps: [String] = ["app"],
        isShared: Bool = false
    ) throws {
        let store = MemoryObjectStore(isShared: isShared)
        let settings = ObjectSettings(
            files: FilePresentation(publicURL: "https://a.example.com", bucket: "b", policy: CensorPolicy()),
            accountDependencies: AccountDependencies(
                settings: AccountSettings(),
                changes: store.changes,
                hasher: PlainHasher()
            )
        )
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var services: [AppID: LiveQueryService] = [:]
        for name in apps {
            let app = try #require(AppID(name))
            services[app] = LiveQueryService(
                app: app,
                store: store,
                settings: settings,
                engine: PCREEngine(),
                limits: limits,
                logger: logger
            )
        }
        live = LiveConnections(services: services, most: most, logger: logger)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(LingeringCloseHandler())
        try pipeline.addHandler(HTTPResponseEncoder())
        try pipeline.addHandler(HTTP1Pipeline.decoder())
        try pipeline.addHandler(RequestGate(connections: open, liveConnections: live, logger: logger))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    /// The reply to ``logIn()``.
    static let loggedIn = #"{"cmd":"loggedin","service":1,"installationId":"d1","i":1}"#

    /// A connection that has become a WebSocket.
    static func connected(
        _ format: RealtimeFormat = .json,
        _ limits: LiveQueryLimits = .init(),
        isShared: Bool = false
    ) throws -> LiveQueryConnection {
        let connection = try LiveQueryConnection(limits: limits, isShared: isShared)
        try connection.upgrade(format)
        return connection
    }

    static func handshake(_ format: RealtimeFormat = .json, path: String = "/v1/ws") -> String {
        """
        GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: \(format.rawValue)\r\n\r\n
        """
    }

    func send(_ text: String) {
        send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) {
        _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
        channel.embeddedEventLoop.run()
    }

    /// Becomes a WebSocket; the response is not a frame.
    func upgrade(_ format: RealtimeFormat = .json) throws {
        send(LiveQueryConnection.handshake(format))
        let response = try sent()
        #expect(response.hasPrefix("HTTP/1.1 101 "))
    }

    /// Sends a frame as a client does.
    func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8], fin: Bool = true, isMasked: Bool = true) {
        send(LiveQueryConnection.bytes(opcode, payload, fin: fin, isMasked: isMasked))
    }

    static func bytes(_ opcode: WebSocketOpcode, _ payload: [UInt8], fin: Bool = true, isMasked: Bool = true) -> [UInt8]
    {
        var bytes = [(fin ? 0x80 : 0) | UInt8(webSocketOpcode: opcode)]
        let mask: UInt8 = isMasked ? 0x80 : 0
        if payload.count < 126 {
            bytes.append(UInt8(payload.count) | mask)
        } else {
            bytes += [127 | mask] + withUnsafeBytes(of: UInt64(payload.count).bigEndian) { Array($0) }
        }
        let key: [UInt8] = [1, 2, 3, 4]
        guard isMasked else { return bytes + payload }
        return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    func text(_ text: String) {
        frame(.text, Array(text.utf8))
    }

    /// Queues an event as the service does.
    func push(_ query: String, object: String = #"{"objectId":"1"}"#, to installation: String = "d1") throws {
        let handler = try channel.pipeline.syncOperations.handler(type: LiveQueryHandler.self)
        let event = LiveEvent(.create, of: LiveQueryID(query), object: Array(object.utf8))
        handler.outbox.put(.event(event, for: try #require(InstallationID(installation))))
        channel.embeddedEventLoop.run()
    }

    /// Lets the events of the installations that have logged in begin or fail, as the service of a shared store does.
    func begin(failing error: (any Error)? = nil) throws {
        let handler = try channel.pipeline.syncOperations.handler(type: LiveQueryHandler.self)
        for attachment in handler.dialogue.attachments {
            if let error { attachment.fail(error) } else { attachment.begin() }
        }
        channel.embeddedEventLoop.run()
    }

    /// Whether the client reads what was written.
    func setReading(_ isReading: Bool) {
        channel.isWritable = isReading
        channel.pipeline.fireChannelWritabilityChanged()
    }

    func logIn() {
        text(#"{"cmd":"login","appId":"app","installationId":"d1","service":1,"i":1}"#)
    }

    /// What was written, as text.
    func sent() throws -> String {
        var text = ""
        while let piece = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: piece) }
        return text
    }

    /// The frames that were written: the text of messages, `close` with its code, `pong` with its data.
    func frames() throws -> [String] {
        while var piece = try channel.readOutbound(as: ByteBuffer.self) { bytes.writeBuffer(&piece) }
        var frames: [String] = []
        while let first = bytes.readInteger(as: UInt8.self) {
            var length = Int(bytes.readInteger(as: UInt8.self) ?? 0)
            if length == 126 {
                length = Int(bytes.readInteger(as: UInt16.self) ?? 0)
            } else if length == 127 {
                length = Int(bytes.readInteger(as: UInt64.self) ?? 0)
            }
            var payload = bytes.readSlice(length: length) ?? ByteBuffer()
            switch first {
            case 0x81: frames.append(String(buffer: payload))
            case 0x82: frames.append("binary \(length)")
            case 0x88: frames.append("close \(payload.readInteger(as: UInt16.self) ?? 0)")
            case 0x8A: frames.append("pong \(String(buffer: payload))")
            default: frames.append("frame \(first)")
            }
        }
        return frames
    }
}
