internal import Crypto

/// AWS's Signature Version 4, in the header `Authorization` or in the query string.
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
        "\(SignatureV4.algorithm) Credential=\(credentials.accessKey)/\(scope(at: time)), "
            + "SignedHeaders=\(SignatureV4.names(message.headers)), Signature=\(signature(of: message, at: time))"
    }

    /// The query string of a URL that needs no `Authorization` (AWS's "presigned URL").
    ///
    /// - Parameters:
    ///   - message: The request; its query is what the URL has beside the signature. Who sends the request has to send the
    ///     signed header fields, and chooses all others. A body is not signed, so the digest is `UNSIGNED-PAYLOAD`.
    ///   - time: The time from which the URL is valid.
    ///   - seconds: How long it is valid: 1 to 604,800, which is a week.
    /// - Returns: The query string with the signature at its end.
    func query(for message: Message, at time: SigningTime, expiresIn seconds: Int) -> String {
        var query = message.query
        query.append(("X-Amz-Algorithm", SignatureV4.algorithm))
        query.append(("X-Amz-Credential", "\(credentials.accessKey)/\(scope(at: time))"))
        query.append(("X-Amz-Date", time.text))
        query.append(("X-Amz-Expires", String(seconds)))
        if let token = credentials.sessionToken { query.append(("X-Amz-Security-Token", token)) }
        query.append(("X-Amz-SignedHeaders", SignatureV4.names(message.headers)))
        let signed = Message(
            method: message.method,
            path: message.path,
            query: query,
            headers: message.headers,
            bodyDigest: message.bodyDigest
        )
        return "\(S3Encoding.query(query))&X-Amz-Signature=\(signature(of: signed, at: time))"
    }

    private static let algorithm = "AWS4-HMAC-SHA256"

    /// What the key of a signature is derived from.
    private func scope(at time: SigningTime) -> String {
        "\(time.day)/\(region)/\(service)/aws4_request"
    }

    private func signature(of message: Message, at time: SigningTime) -> String {
        let canonical = SignatureV4.canonical(message)
        let text =
            "\(SignatureV4.algorithm)\n\(time.text)\n\(scope(at: time))\n\(SignatureV4.digest(canonical.utf8))"
        var key = SymmetricKey(data: Array("AWS4\(credentials.secretKey)".utf8))
        for part in [time.day, region, service, "aws4_request"] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key))
        }
        return HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key).hexadecimal
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
