internal import NIOWebSocket

extension WebSocketErrorCode {
    /// The login was wrong; SDKs do not connect again (protocol/data 8.6).
    static let invalidLogin = WebSocketErrorCode.unknown(4103)
    /// The client did not log in in time.
    static let loginTimeout = WebSocketErrorCode.unknown(4108)
    /// The server has too many connections (registry of RFC 6455, section 11.7).
    static let tryAgainLater = WebSocketErrorCode.unknown(1013)

    /// Whether an endpoint is allowed to send the code (RFC 6455 section 7.4).
    var isAllowed: Bool {
        switch UInt16(webSocketErrorCode: self) {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
