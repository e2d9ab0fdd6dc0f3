/// How a web identity token is exchanged for temporary credentials (AWS STS, `AssumeRoleWithWebIdentity`).
///
/// Kubernetes writes such a token of a service account to a file ("IAM roles for service accounts"). MinIO and Ceph RGW
/// have the same request.
package struct WebIdentity: Sendable {
    /// The ARN of the role; empty if the service derives the rights from the token, as MinIO does.
    let role: String
    /// The name of the session, which the logs of the store show.
    let session: String
    /// The path of the file with the token, which can be replaced at any time.
    let tokenFile: String
    /// The URL of the security token service, without a slash at its end.
    let endpoint: String

    /// - Parameters:
    ///   - role: The ARN of the role; empty if the service needs none.
    ///   - session: The name of the session: 2 to 64 ASCII letters, digits and `_+=,.@-`.
    ///   - tokenFile: The path of the file with the token.
    ///   - endpoint: The http or https URL of the security token service, without a slash at its end.
    package init(role: String, session: String, tokenFile: String, endpoint: String) {
        self.role = role
        self.session = session
        self.tokenFile = tokenFile
        self.endpoint = endpoint
    }

    /// The URL of the security token service that belongs to a store.
    ///
    /// - Parameters:
    ///   - store: The URL of the store; `nil` for AWS.
    ///   - region: The region.
    /// - Returns: AWS's URL for the region if the store is AWS, otherwise the URL of the store: MinIO and Ceph RGW answer
    ///   both kinds of requests there.
    package static func endpoint(beside store: String?, region: String) -> String {
        let isAmazon = store?.lowercased().contains(".amazonaws.com") ?? true
        guard let store, !isAmazon else {
            return "https://sts.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : "")
        }
        return store
    }

    /// The body of the request, `application/x-www-form-urlencoded`.
    ///
    /// It has no `DurationSeconds`: a service refuses a longer session than the role allows, and the default of AWS and
    /// MinIO is an hour.
    func form(_ token: String) -> String {
        var fields = [
            (name: "Action", value: "AssumeRoleWithWebIdentity"), (name: "Version", value: "2011-06-15"),
            (name: "RoleSessionName", value: session), (name: "WebIdentityToken", value: token),
        ]
        if !role.isEmpty { fields.append((name: "RoleArn", value: role)) }
        return S3Encoding.query(fields)
    }

    /// The maximum number of bytes of the file; AWS accepts tokens of up to 20,000.
    private static let maxTokenSize = 64 << 10

    /// Reads the token; blocks.
    ///
    /// - Throws: ``S3Error`` with ``S3Error/Reason/local`` if the file cannot be read or has no token. No message has the
    ///   content of the file.
    func token() throws(S3Error) -> String {
        let bytes = try S3File(reading: tokenFile).bytes(limit: WebIdentity.maxTokenSize)
        let words = bytes.split { " \t\r\n".utf8.contains($0) }
        guard words.count == 1, words[0].allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw S3Error(.local, "\(tokenFile) does not contain a web identity token")
        }
        return String(decoding: words[0], as: UTF8.self)
    }
}
