internal import Crypto

/// The signature of a webhook's body and of its callback: proof that the sender knows the shared secret.
///
/// It covers the time, so that a request that someone recorded cannot be sent again later.
package struct WebhookSignature: Sendable, Hashable {
    /// The name of the header field with ``timestamp``, for censorship.
    package static let timestampHeader = "X-LC-Censor-Timestamp"
    /// The name of the header field with ``signature``, for censorship.
    package static let signatureHeader = "X-LC-Censor-Signature"
    /// The maximum difference between the clocks of sender and receiver, in seconds.
    package static let tolerance: Int64 = 300

    /// The time of signing: decimal seconds since 1970-01-01 UTC.
    package let timestamp: String
    /// The HMAC-SHA256 of `<timestamp>.<body>` under the secret: 64 lower-case hexadecimal digits.
    package let signature: String

    /// Signs a body.
    ///
    /// - Parameters:
    ///   - body: The bytes exactly as they are sent.
    ///   - secret: The shared secret; not empty.
    ///   - now: The current time.
    package init(of body: [UInt8], secret: Secret, at now: Timestamp) {
        timestamp = String(now.wholeSeconds)
        let signed = WebhookSignature.signed(body, timestamp)
        signature = HMAC<SHA256>.authenticationCode(for: signed, using: secret.key).hexadecimal
    }

    /// The header fields to send for censorship.
    package var headers: [(name: String, value: String)] {
        headers(timestamp: WebhookSignature.timestampHeader, signature: WebhookSignature.signatureHeader)
    }

    /// The header fields to send, with the names that a kind of webhook has.
    func headers(timestamp name: String, signature other: String) -> [(name: String, value: String)] {
        [(name, timestamp), (other, signature)]
    }

    /// Checks the header fields of a received body; compares in constant time.
    ///
    /// - Parameters:
    ///   - body: The bytes exactly as received.
    ///   - timestamp: The value of ``timestampHeader``; `nil` if it is missing.
    ///   - signature: The value of ``signatureHeader``, with digits in either case; `nil` if it is missing.
    ///   - secret: The shared secret; an empty one verifies no signature.
    ///   - now: The current time.
    /// - Throws: ``ServiceError/Code/forbidden`` unless the holder of the secret signed this body at most
    ///   ``tolerance`` seconds ago or ahead.
    package static func verify(
        _ body: [UInt8],
        timestamp: String?,
        signature: String?,
        secret: Secret,
        at now: Timestamp
    ) throws {
        guard let timestamp, let seconds = UnixSeconds(timestamp)?.value,
            abs(now.wholeSeconds - seconds) <= tolerance
        else {
            throw ServiceError(
                .forbidden,
                "\(timestampHeader) must be the current time in Unix seconds, within \(tolerance) seconds."
            )
        }
        guard !secret.revealed.isEmpty, let signature, let code = [UInt8](hexadecimal: signature),
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed(body, timestamp), using: secret.key)
        else {
            throw ServiceError(
                .forbidden,
                "\(signatureHeader) must be the hexadecimal HMAC-SHA256 of \"<timestamp>.<body>\" under the secret."
            )
        }
    }

    private static func signed(_ body: [UInt8], _ timestamp: String) -> [UInt8] {
        Array(timestamp.utf8) + [UInt8(ascii: ".")] + body
    }
}

extension Secret {
    fileprivate var key: SymmetricKey {
        SymmetricKey(data: Array(revealed.utf8))
    }
}
