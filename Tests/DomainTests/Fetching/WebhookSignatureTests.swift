import Domain
import Testing

@Suite struct WebhookSignatureTests {
    private let secret = Secret("shared secret")
    private let body = Array(#"{"app":"a","verdict":"passed"}"#.utf8)
    private let now = Timestamp(milliseconds: 1_700_000_000_999)

    @Test("the signature is the HMAC-SHA256 of time, dot and body, as other programs compute it")
    func known() {
        let signature = WebhookSignature(of: body, secret: secret, at: now)
        #expect(signature.timestamp == "1700000000")
        // printf %s '1700000000.{"app":"a","verdict":"passed"}' | openssl dgst -sha256 -hmac 'shared secret'
        #expect(signature.signature == "0e301c6f7497c0233fbbd930d498b93df807ab02465a65371eb9117aac022598")
        #expect(signature.headers.map(\.name) == ["X-LC-Censor-Timestamp", "X-LC-Censor-Signature"])
        #expect(signature.headers.map(\.value) == [signature.timestamp, signature.signature])
    }

    @Test("a signature is valid up to 300 s before and after its time", arguments: [-300, -1, 0, 1, 300] as [Int64])
    func valid(seconds: Int64) throws {
        let made = WebhookSignature(of: body, secret: secret, at: now)
        for signature in [made.signature, made.signature.uppercased()] {
            try WebhookSignature.verify(
                body,
                timestamp: made.timestamp,
                signature: signature,
                secret: secret,
                at: Timestamp(milliseconds: now.milliseconds + seconds * 1000)
            )
        }
    }

    @Test("a signature is refused at other times", arguments: [-301, 301, 86_400, -86_400] as [Int64])
    func otherTimes(seconds: Int64) {
        let made = WebhookSignature(of: body, secret: secret, at: now)
        let later = Timestamp(milliseconds: now.milliseconds + seconds * 1000)
        expectRefusal(body, made.timestamp, made.signature, secret, later)
    }

    @Test(
        "a timestamp that is no plain number is refused, also if it was signed",
        arguments: [
            nil, "", " ", "now", "+1700000000", "01700000000", "1700000000 ", "1700000000.0", "1.7e9", "-1", "１７",
            "9223372036854775807", "-9223372036854775808", "99999999999999999999", "1700000001", "1699999999",
        ] as [String?]
    )
    func timestamps(timestamp: String?) {
        let made = WebhookSignature(of: body, secret: secret, at: now)
        expectRefusal(body, timestamp, made.signature, secret, now)
    }

    @Test("every change of body, signature or secret is refused")
    func tampered() {
        let made = WebhookSignature(of: body, secret: secret, at: now)
        for index in body.indices {
            var other = body
            other[index] ^= 1
            expectRefusal(other, made.timestamp, made.signature, secret, now)
        }
        for other in [[], Array(body.dropLast()), body + [0x20], [UInt8(ascii: "0")] + body] {
            expectRefusal(other, made.timestamp, made.signature, secret, now)
        }
        let digits = Array(made.signature.utf8)
        for index in digits.indices {
            var other = digits
            other[index] = other[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            expectRefusal(body, made.timestamp, String(decoding: other, as: UTF8.self), secret, now)
        }
        let others = ["", "00", String(made.signature.dropLast(2)), made.signature + "00", "sha256=" + made.signature]
        for signature in [nil] + others.map(Optional.some) {
            expectRefusal(body, made.timestamp, signature, secret, now)
        }
        for secret in ["", "Shared secret", "shared secret "] {
            expectRefusal(body, made.timestamp, made.signature, Secret(secret), now)
        }
    }

    @Test("an empty secret verifies no signature, not even its own")
    func emptySecret() {
        let made = WebhookSignature(of: body, secret: Secret(""), at: now)
        expectRefusal(body, made.timestamp, made.signature, Secret(""), now)
    }

    private func expectRefusal(
        _ body: [UInt8],
        _ timestamp: String?,
        _ signature: String?,
        _ secret: Secret,
        _ now: Timestamp
    ) {
        let error = #expect(throws: ServiceError.self) {
            try WebhookSignature.verify(body, timestamp: timestamp, signature: signature, secret: secret, at: now)
        }
        #expect(error?.code == .forbidden)
    }
}
