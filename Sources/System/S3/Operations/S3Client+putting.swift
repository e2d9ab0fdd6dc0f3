extension S3Client {
    /// Stores bytes under a key.
    ///
    /// The store checks that the bytes arrive unchanged (SHA-256 in the signature, `Content-MD5`).
    ///
    /// - Parameters:
    ///   - key: The object's key, of 1 to 1024 bytes.
    ///   - bytes: The bytes, at most 5 GB.
    /// - Throws: ``S3Error``; an older object or the whole new one has the key then.
    package func put(_ key: String, bytes: [UInt8]) throws(S3Error) {
        try put(key, S3Content(bytes))
    }

    /// Stores the bytes of a file under a key: in one request, or in parts if it is large.
    ///
    /// - Parameters:
    ///   - key: The object's key, of 1 to 1024 bytes.
    ///   - path: A regular file, at most 5 TB, that does not change during the call.
    /// - Returns: The number of bytes.
    /// - Throws: ``S3Error``; an older object or the whole new one has the key then.
    @discardableResult
    package func put(_ key: String, fileAt path: String) throws(S3Error) -> Int64 {
        let file = try S3File(reading: path)
        let size = try file.size()
        if size <= options.singlePutSize {
            try put(key, S3Content(S3Body(file, 0..<size)))
        } else {
            try putParts(key, file, size: size)
        }
        return size
    }

    /// Stores content under a key in one request.
    ///
    /// - Parameters:
    ///   - key: The object's key, of 1 to 1024 bytes.
    ///   - content: The bytes, at most 5 GB.
    ///   - headers: Further header fields of the object, such as `x-amz-meta-…`.
    /// - Throws: ``S3Error``; an older object or the whole new one has the key then.
    package func put(
        _ key: String,
        _ content: S3Content,
        headers: [(name: String, value: String)] = []
    ) throws(S3Error) {
        let body = content.body
        var request = S3Request("PUT", key)
        request.headers = [
            ("Content-Type", "application/octet-stream"), ("Content-MD5", body.digests.md5.base64),
        ]
        request.headers += encryptionHeaders + headers
        request.body = body
        let response = try send(request)
        try S3Client.compare(response, with: body.digests.md5.hexadecimal, key)
    }

    /// The header fields with which a new object is encrypted.
    var encryptionHeaders: [(name: String, value: String)] { options.encryption?.headers ?? [] }

    /// Compares the ETag of what was stored; only a digest of the bytes can differ from what is expected.
    static func compare(_ response: S3Response, with expected: String, _ key: String) throws(S3Error) {
        guard let tag = response.tag, S3Tag.isDigest(tag, in: response), tag != expected else { return }
        throw S3Error(.damaged, "the S3 store has other bytes under '\(key)' than those that were sent")
    }
}

/// ETags that are digests of the object's bytes.
enum S3Tag {
    /// Whether an ETag is the MD5 of the object, or that of its parts' MD5s.
    ///
    /// With keys of a key service or of the client, it is another value.
    static func isDigest(_ tag: String, in response: S3Response) -> Bool {
        let encryption = response.headers["x-amz-server-side-encryption"] ?? ""
        guard !encryption.hasPrefix("aws:kms"),
            response.headers["x-amz-server-side-encryption-customer-algorithm"] == nil
        else { return false }
        let digits = tag.split(separator: "-", maxSplits: 1)[...].first ?? ""
        return digits.utf8.count == 32 && digits.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
}
