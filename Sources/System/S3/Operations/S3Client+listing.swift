extension S3Client {
    /// The objects whose keys begin with a prefix, in the order of the store: for AWS and most others, that of the
    /// keys' bytes.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the keys.
    ///   - after: Only keys behind this one; `nil` for all.
    ///   - limit: 1 to 1000.
    /// - Returns: One page of the store, and whether there can be more behind it. It can have fewer objects than the limit
    ///   although there are more.
    /// - Throws: ``S3Error``.
    package func list(
        prefix: String,
        after: String? = nil,
        limit: Int = 1000
    ) throws(S3Error) -> (objects: [S3Object], hasMore: Bool) {
        var request = S3Request("GET")
        request.query = [
            ("list-type", "2"), ("encoding-type", "url"), ("max-keys", String(limit)), ("prefix", prefix),
        ]
        if let after { request.query.append(("start-after", after)) }
        // A key of 1024 bytes has up to 3072 encoded.
        request.limit = 8 << 20
        let document = try send(request).document
        guard let document, document.name == "ListBucketResult" else {
            throw S3Error(.unavailable, "\(bucket.origin) answers with something else than a list of objects")
        }
        let isEncoded = document.text(of: "EncodingType") == "url"
        var objects: [S3Object] = []
        for entry in document.children where entry.name == "Contents" {
            let text = entry.text(of: "Key") ?? ""
            guard let key = isEncoded ? S3Encoding.decode(text) : text,
                let size = entry.text(of: "Size").flatMap({ Int64($0) })
            else { throw S3Error(.unavailable, "\(bucket.origin) answers with a malformed list of objects") }
            let tag = entry.text(of: "ETag")?.filter { $0 != "\"" } ?? ""
            let modified = entry.text(of: "LastModified").flatMap { SigningTime.seconds(ofXML: $0) } ?? 0
            objects.append(S3Object(key: key, size: size, modified: modified, tag: tag))
        }
        return (objects, document.text(of: "IsTruncated") == "true")
    }
}
