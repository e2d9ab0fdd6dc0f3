internal import Crypto

/// AWS's Signature Version 4, in the header `Authorization`.
///
/// libcurl 7.88, which Debian 12 has, can sign too, but not for S3: it neither encodes nor sorts a query string, and takes
/// every body that a callback provides for an empty one.
struct SignatureV4 {
    let credentials: S3Credentials
    let region: String
    /// `s3`; the test vectors have another one.
    var service = "s3"

    /// What is signed of a request.
    struct Message {
        let method: String
        /// Percent-encoded.
        let path: String
        /// Names and values, not encoded.
        let query: [(name: String, value: String)]
        /// All header fields that are signed, with `Host`.
        let headers: [(name: String, value: String)]
        /// The SHA-256 of the body in hexadecimal digits, or `UNSIGNED-PAYLOAD`.
        let bodyDigest: String
    }

    /// The value of `Authorization`.
    ///
    /// - Parameters:
    ///   - message: The request.
    ///   - time: The time that its header `X-Amz-Date` has.
    /// - Returns: The value.
    func authorization(for message: Message, at time: SigningTime) -> String {
        let scope = "\(time.day)/\(region)/\(service)/aws4_request"
        let canonical = SignatureV4.canonical(message)
        let text = "AWS4-HMAC-SHA256\n\(time.text)\n\(scope)\n\(SignatureV4.digest(canonical.utf8))"
        var key = SymmetricKey(data: Array("AWS4\(credentials.secretKey)".utf8))
        for part in [time.day, region, service, "aws4_request"] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key))
        }
        let signature = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)
        return "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope), "
            + "SignedHeaders=\(SignatureV4.names(message.headers)), Signature=\(signature.hexadecimal)"
    }

    /// The request in the one form that both sides sign.
    static func canonical(_ message: Message) -> String {
        var lines = [message.method, message.path, S3Encoding.query(message.query)]
        lines += fields(message.headers).map { "\($0.name):\($0.value)" }
        lines += ["", names(message.headers), message.bodyDigest]
        return lines.joined(separator: "\n")
    }

    /// The SHA-256 in hexadecimal digits.
    static func digest(_ bytes: some Sequence<UInt8>) -> String {
        SHA256.hash(data: Array(bytes)).hexadecimal
    }

    private static func names(_ headers: [(name: String, value: String)]) -> String {
        fields(headers).map(\.name).joined(separator: ";")
    }

    /// The fields in the order of their names; values of the same name are joined, and runs of blanks are one.
    private static func fields(_ headers: [(name: String, value: String)]) -> [(name: String, value: String)] {
        var values: [String: [String]] = [:]
        for (name, value) in headers {
            values[name.lowercased(), default: []].append(value.split(separator: " ").joined(separator: " "))
        }
        return values.sorted { $0.key < $1.key }.map { ($0.key, $0.value.joined(separator: ",")) }
    }
}

extension Sequence<UInt8> {
    /// The bytes as lower-case hexadecimal digits.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
