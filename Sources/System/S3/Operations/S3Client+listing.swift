extension S3Client {
    /// The objects whose keys begin with a prefix, in the order of the store: for AWS and most others, that of the
    /// keys' bytes.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the keys.
    ///   - after: Only keys behind this one; `nil` for all.
    ///   - limit: 1 to 1000.
    /// - Returns: One page of the store, and whether there can be more behind it. It can have fewer objects than the limit
    ///   although there are more, but then it has at least one.
    /// - Throws: ``S3Error``.
    package func list(
        prefix: String,
        after: String? = nil,
        limit: Int = 1000
    ) throws(S3Error) -> (objects: [S3Object], hasMore: Bool) {
        var position = after.map { (name: "start-after", value: $0) }
        while true {
            let document = try listing(prefix: prefix, from: position, limit: limit)
            let objects = try objects(in: document)
            let hasMore = document.text(of: "IsTruncated") == "true"
            guard hasMore, objects.isEmpty else { return (objects, hasMore) }
            // S3 allows a page without objects that is not the last one. A caller would take it for the end, and all
            // further objects for removed. Without a key, only the token says where the next page begins.
            guard let token = document.text(of: "NextContinuationToken"), !token.isEmpty, token != position?.value
            else { throw malformedList }
            position = (name: "continuation-token", value: token)
        }
    }

    /// One page as the store answers it.
    private func listing(
        prefix: String,
        from position: (name: String, value: String)?,
        limit: Int
    ) throws(S3Error) -> XMLElement {
        var request = S3Request("GET")
        request.query = [
            ("list-type", "2"), ("encoding-type", "url"), ("max-keys", String(limit)), ("prefix", prefix),
        ]
        if let position { request.query.append(position) }
        // A key of 1024 bytes has up to 3072 encoded.
        request.limit = 8 << 20
        let document = try send(request).document
        guard let document, document.name == "ListBucketResult" else {
            throw S3Error(.unavailable, "\(bucket.origin) answers with something else than a list of objects")
        }
        return document
    }

    private func objects(in document: XMLElement) throws(S3Error) -> [S3Object] {
        let isEncoded = document.text(of: "EncodingType") == "url"
        var objects: [S3Object] = []
        for entry in document.children where entry.name == "Contents" {
            let text = entry.text(of: "Key") ?? ""
            // An object without a time would count as older than every limit, and be removed.
            guard let key = isEncoded ? S3Encoding.decode(text) : text,
                let size = entry.text(of: "Size").flatMap({ Int64($0) }),
                let modified = entry.text(of: "LastModified").flatMap({ SigningTime.seconds(ofXML: $0) })
            else { throw malformedList }
            let tag = entry.text(of: "ETag")?.filter { $0 != "\"" } ?? ""
            objects.append(S3Object(key: key, size: size, modified: modified, tag: tag))
        }
        return objects
    }

    private var malformedList: S3Error {
        S3Error(.unavailable, "\(bucket.origin) answers with a malformed list of objects")
    }
}
