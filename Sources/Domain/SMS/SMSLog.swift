package import Logging

/// Writes SMS to the log instead of sending them: for development (`sms.provider: log`).
package struct SMSLog: SMSSender {
    private let logger: Logger

    /// - Parameter logger: Gets a line for each SMS.
    package init(_ logger: Logger) {
        self.logger = logger
    }

    package func send(_ message: SMSMessage) async throws {
        logger.notice(
            "An SMS is not sent, because sms.provider is log",
            metadata: [
                "app": "\(message.app)", "number": "\(message.number)", "purpose": "\(message.purpose.rawValue)",
                "code": "\(message.variables["code"] ?? "")", "text": "\(message.text)",
            ]
        )
    }
}
