internal import Curl
package import Domain
package import NIOPosix
internal import Synchronization

/// Sends mails by SMTP with libcurl, each on one thread and over a connection of its own.
package struct CurlMailSender: MailSender {
    private let server: MailServer
    private let pool: NIOThreadPool

    /// - Parameters:
    ///   - server: The mail server.
    ///   - pool: Started threads that a slow mail server is allowed to block.
    package init(server: MailServer, pool: NIOThreadPool) {
        self.server = server
        self.pool = pool
    }

    package func send(_ message: MailMessage) async throws {
        let stop = StopFlag()
        try await withTaskCancellationHandler {
            try await pool.runIfActive { [server] in
                try CurlMailSender.deliver(message, to: server, stop)
            }
        } onCancel: {
            stop.flag.store(true, ordering: .releasing)
        }
    }

    /// The time in which a server that has accepted the mail can reply to QUIT.
    private static let quitTime = Duration.seconds(2)

    private static func deliver(_ message: MailMessage, to server: MailServer, _ stop: StopFlag) throws {
        let bytes = message.encoded
        // libcurl does not apply its limit to QUIT; a second later, so that what is before QUIT ends by that limit.
        var end = ContinuousClock.now.advanced(by: .seconds(server.timeout + 1))
        var isSent = false
        var isAnswered = false
        var isAccepted = false
        var handle = try CurlHandle()
        // The path is the name in EHLO: that of the sender's domain instead of this machine's.
        try handle.set(.url, "\(server.url)/\(message.from.address.domain)")
        try handle.set(.timeout, server.timeout)
        try handle.set(.replyTimeout, server.timeout)
        try handle.set(.closesConnection, true)
        try handle.set(.connectTimeout, min(10, server.timeout))
        try handle.set(.proxy, "")
        try handle.set(.readsNetrc, false)
        if let caFile = server.caFile { try handle.set(.caFile, caFile) }
        if !server.user.isEmpty {
            try handle.set(.userName, server.user)
            try handle.set(.password, server.password)
        }
        try handle.setMail(
            from: message.from.address.description,
            to: message.to.description,
            size: Int64(bytes.count),
            server.encryption.level
        )
        do throws(CurlFailure) {
            try handle.perform(
                CurlCallbacks(
                    receive: { _, _ in true },
                    goesOn: { _ in !stop.flag.load(ordering: .acquiring) && ContinuousClock.now < end },
                    receiveHead: { line in
                        // The first line decides: libcurl sends QUIT after a refusal, too, and a server can answer it
                        // with 250. All lines of a reply have one code (RFC 5321 section 4.2.1).
                        guard isSent, !isAnswered else { return }
                        isAnswered = true
                        guard line.hasPrefix("250") else { return }
                        isAccepted = true
                        end = min(end, .now.advanced(by: quitTime))
                    },
                    send: { buffer, offset in
                        let part = bytes.dropFirst(Int(offset)).prefix(buffer.count)
                        buffer.copyBytes(from: part)
                        isSent = Int(offset) + part.count == bytes.count
                        return part.count
                    }
                )
            )
        } catch {
            // The end of the connection changes nothing, and the mail must not be sent again.
            if isAccepted { return }
            if stop.flag.load(ordering: .acquiring) { throw CancellationError() }
            throw failure(error, status: (try? handle.status()) ?? 0)
        }
    }

    /// The meaning of a failed transfer, from libcurl's error and the mail server's last reply.
    ///
    /// libcurl names the refused command only in the details of its error.
    private static func failure(_ error: CurlFailure, status: Int) -> DeliveryFailure {
        let isFinal = (500..<600).contains(status)
        switch error.reason {
        case .unreachable: return DeliveryFailure(.unavailable, "The mail server cannot be reached.")
        // After a reply of the mail server only this mail is slow, such as one whose recipient the server looks up.
        case .timedOut where status > 0:
            return DeliveryFailure(.deferred, "The mail server did not answer in time (mail.timeout).")
        case .timedOut: return DeliveryFailure(.unavailable, "The mail server did not answer in time (mail.timeout).")
        case .logInRefused:
            return DeliveryFailure(.unavailable, "The mail server refused the log-in (mail.user, mail.password).")
        case .encryptionFailed:
            return DeliveryFailure(
                .unavailable,
                "The connection to the mail server cannot be encrypted: \(error.text) (mail.starttls, mail.caFile)."
            )
        case _ where error.detail.hasPrefix("RCPT failed"):
            return isFinal
                ? DeliveryFailure(.refused, "The mail server refused the recipient with \(status).")
                : DeliveryFailure(.deferred, "The mail server does not accept the recipient now (\(status)).")
        case _ where error.detail.hasPrefix("MAIL failed"):
            return DeliveryFailure(.unavailable, "The mail server refused the sender with \(status) (mail.from).")
        case .unexpectedReply where error.detail.hasPrefix("Got unexpected smtp-server response"):
            return DeliveryFailure(
                .unavailable,
                "The mail server does not serve this machine: it greeted with \(status)."
            )
        case _ where isFinal && error.detail.hasPrefix("DATA failed"), .unexpectedReply where isFinal:
            return DeliveryFailure(.refused, "The mail server refused the message with \(status).")
        case .brokenOff where status < 400:
            return DeliveryFailure(.deferred, "The mail server closed the connection before it accepted the mail.")
        default:
            let reply = status > 0 ? "; its last reply was \(status)" : ""
            return DeliveryFailure(.deferred, "The mail server did not accept the mail: \(error.text)\(reply).")
        }
    }
}

/// Tells a transfer on another thread to end.
private final class StopFlag: Sendable {
    let flag = Atomic(false)
}
