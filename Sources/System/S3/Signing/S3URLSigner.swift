/// Makes URLs with which others get objects of a bucket until a time, without keys.
///
/// It sends no request: a URL is a computation of some microseconds, and does not say whether the object exists. With
/// temporary keys a URL also ends when the store stops to accept their token; where the source of the keys knows that
/// time, no URL is made that would last longer.
package struct S3URLSigner: Sendable {
    /// The bucket, at the endpoint of those who use the URLs.
    private let bucket: S3Bucket
    private let credentials: any S3CredentialSource

    /// The scheme and the host of all URLs, with the port unless it is the default one.
    package var origin: String { bucket.origin }

    /// The maximum number of seconds for which a URL is valid, as AWS defines it.
    package static let longestLife = 604_800

    /// - Parameters:
    ///   - bucket: The bucket; its endpoint can be another one than that of ``S3Client``.
    ///   - credentials: The source of the keys. A URL shows the id of the key and the token of temporary keys, not the key itself.
    package init(_ bucket: S3Bucket, credentials: any S3CredentialSource) {
        self.bucket = bucket
        self.credentials = credentials
    }

    /// A URL for `GET` of an object, also of its ranges.
    ///
    /// - Parameters:
    ///   - key: The object's key.
    ///   - fields: Header fields of the response, in place of those that the store would send.
    ///   - time: Seconds since 1970 from which the URL is valid; equal times make equal URLs.
    ///   - seconds: How long it is valid, counted from that time, at most ``longestLife``.
    /// - Returns: The URL; it is a secret until it ends. `nil` if the source has no keys now that are valid for so long.
    package func url(of key: String, _ fields: S3ResponseFields, from time: Int64, seconds: Int) -> String? {
        let life = min(seconds, S3URLSigner.longestLife)
        guard let credentials = credentials.knownCredentials(validUntil: time + Int64(life)) else { return nil }
        let path = bucket.pathPrefix + "/" + S3Encoding.path(key)
        let message = SignatureV4.Message(
            method: "GET",
            path: path,
            query: fields.query,
            headers: [(name: "Host", value: bucket.host)],
            bodyDigest: "UNSIGNED-PAYLOAD"
        )
        let signature = SignatureV4(credentials: credentials, region: bucket.region)
        let query = signature.query(for: message, at: SigningTime(time), expiresIn: life)
        return "\(bucket.origin)\(path)?\(query)"
    }
}

/// Header fields of a response to a signed URL, in place of those that the store would send.
package struct S3ResponseFields: Sendable, Hashable {
    /// `Content-Type`; `nil` for that of the object.
    package var contentType: String?
    /// `Cache-Control`.
    package var cacheControl: String?
    /// `Content-Disposition`.
    package var contentDisposition: String?

    /// Creates fields; those that are `nil` are the store's.
    package init(contentType: String? = nil, cacheControl: String? = nil, contentDisposition: String? = nil) {
        self.contentType = contentType
        self.cacheControl = cacheControl
        self.contentDisposition = contentDisposition
    }

    /// The parameters of the query string.
    var query: [(name: String, value: String)] {
        let fields = [
            ("response-cache-control", cacheControl), ("response-content-disposition", contentDisposition),
            ("response-content-type", contentType),
        ]
        return fields.compactMap { name, value in value.map { (name, $0) } }
    }
}
