/// A response that is not 2xx, and what it means for an operator.
struct S3Refusal {
    private let response: S3Response
    private let request: S3Request
    private let bucket: S3Bucket
    private let now: Int64
    private let document: XMLElement?

    /// - Parameters:
    ///   - response: The response, with any status: an error can follow a head with 200.
    ///   - request: The request.
    ///   - bucket: Its bucket.
    ///   - now: The seconds since 1970 by this machine's clock.
    init(_ response: S3Response, _ request: S3Request, _ bucket: S3Bucket, now: Int64) {
        self.response = response
        self.request = request
        self.bucket = bucket
        self.now = now
        document = response.document.flatMap { $0.name == "Error" ? $0 : nil }
    }

    var error: S3Error {
        let code = document?.text(of: "Code") ?? ""
        if let region = otherRegion(code) {
            let text = "the bucket \(bucket.name) is in the region \(region), not in \(bucket.region)"
            return S3Error(.settings, text, code: code, isTemporary: false)
        }
        if (300..<400).contains(response.status) {
            let target = document?.text(of: "Endpoint").map { "to \(S3Refusal.line($0))" } ?? "to another address"
            return S3Error(
                .settings,
                "\(bucket.origin) redirects \(target); set the endpoint and the region of the bucket",
                code: code,
                isTemporary: false
            )
        }
        let reason = reason(code)
        let isTemporary = reason == .unavailable && (response.status != 501) || S3Refusal.damages.contains(code)
        let wish = response.headers["retry-after"].flatMap { Int($0) } ?? 0
        return S3Error(
            reason,
            message(reason, code),
            code: code,
            isTemporary: isTemporary,
            retryAfter: max(0, min(wish, 3600))
        )
    }

    /// Codes for temporary credentials that have ended, or that the store does not know.
    ///
    /// MinIO sends `InvalidTokenId`, and `InvalidAccessKeyId` for credentials that it has removed after their end.
    private static let endedCredentials: Set = ["ExpiredToken", "InvalidToken", "InvalidTokenId", "InvalidAccessKeyId"]

    /// Whether a store refuses the credentials of a request, and not what is requested.
    ///
    /// A response to a HEAD has no code. AWS answers one with ended credentials with 400, which few other reasons have;
    /// other stores can answer it with 401 or 403.
    static func isOfCredentials(_ response: S3Response, to request: S3Request) -> Bool {
        guard [400, 401, 403].contains(response.status) else { return false }
        guard request.method != "HEAD" else { return true }
        return response.document?.text(of: "Code").map { endedCredentials.contains($0) } ?? false
    }

    /// Codes of bodies that arrived damaged, which a second attempt repairs.
    private static let damages: Set = ["BadDigest", "XAmzContentSHA256Mismatch", "IncompleteBody"]

    private func reason(_ code: String) -> S3Error.Reason {
        switch code {
        case "NoSuchKey", "NoSuchUpload": return .missing
        case "NoSuchBucket": return .settings
        case "RequestTimeTooSkewed", "RequestExpired": return .clock
        case "QuotaExceeded", "XMinioStorageFull", "InsufficientStorage", "InsufficientCapacity": return .full
        case "SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout", "OperationAborted", "ServerBusy":
            return .unavailable
        case "BadDigest", "XAmzContentSHA256Mismatch", "IncompleteBody": return .damaged
        default: break
        }
        switch response.status {
        // The answer to a HEAD has no document.
        case 404 where code.isEmpty && request.method == "HEAD": return .missing
        case 507: return .full
        case 408, 429, 500...: return .unavailable
        default: return .refused
        }
    }

    private func message(_ reason: S3Error.Reason, _ code: String) -> String {
        let name = "the bucket \(bucket.name)"
        let subject = request.key.isEmpty ? name : "'\(request.key)' in \(name)"
        let detail = [code, document?.text(of: "Message") ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
        let answer = S3Refusal.line(detail.isEmpty ? "status \(response.status)" : "\(response.status) \(detail)")
        switch reason {
        case .missing: return "there is no object \(subject) (\(answer))"
        case .settings: return "the bucket \(bucket.name) does not exist at \(bucket.origin) (\(answer))"
        case .clock:
            return "the clock of this machine is wrong\(skew), and the S3 store refuses its requests (\(answer))"
        case .full: return "the S3 store has no space for \(subject) (\(answer))"
        case .damaged: return "\(subject) did not arrive at the S3 store as it was sent (\(answer))"
        case .unavailable: return "\(bucket.origin) cannot serve requests now (\(answer))"
        case .refused where response.status == 401 || response.status == 403:
            return "the S3 store refuses the request for \(subject), check its keys and their permissions (\(answer))"
        default: return "the S3 store refuses the request for \(subject) (\(answer))"
        }
    }

    /// By how much the clocks differ, if the response has a time.
    private var skew: String {
        guard let theirs = response.headers["date"].flatMap({ SigningTime.seconds(ofHTTP: $0) }) else { return "" }
        let difference = now - theirs
        return " by \(abs(difference)) seconds (\(difference > 0 ? "fast" : "slow"))"
    }

    /// The region of the bucket, if it is not that of the request.
    private func otherRegion(_ code: String) -> String? {
        var region = response.headers["x-amz-bucket-region"]
        if code == "AuthorizationHeaderMalformed" || code == "PermanentRedirect" {
            region = document?.text(of: "Region") ?? region
        }
        guard let region, !region.isEmpty, region != bucket.region else { return nil }
        let isAbout = response.status == 301 || response.status == 307 || response.status == 400
        return isAbout ? S3Refusal.line(region) : nil
    }

    /// A text of the store as a part of one line of printable characters.
    static func line(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(300).map { scalar in
            scalar.properties.generalCategory == .control ? " " : scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
