/// Objects that the store makes of other objects of the bucket, without a transfer of their bytes.
extension S3Client {
    /// The minimum size in bytes of each part but the last, which stores require.
    package static let minPartSize: Int64 = 5 << 20

    /// Lets the store copy an object, or a range of it, to a part of a new object.
    ///
    /// - Parameters:
    ///   - source: The object, with the ETag that a list or its head has; it is compared with that of the part if the
    ///     part is the whole object.
    ///   - range: The bytes; at least ``minPartSize`` in all parts but the last.
    ///   - number: 1 to 10,000.
    ///   - upload: The upload of the new object.
    /// - Returns: The part; without an MD5 if the store's ETag is none.
    /// - Throws: ``S3Error``, with ``S3Error/Reason/missing`` if the source or the upload does not exist and with
    ///   ``S3Error/Reason/damaged`` if the store copied other bytes.
    package func copy(
        _ source: S3Object,
        _ range: Range<Int64>,
        as number: Int,
        of upload: S3Upload
    ) throws(S3Error) -> S3Part {
        var request = S3Request("PUT", upload.key)
        request.query = [("partNumber", String(number)), ("uploadId", upload.id)]
        request.headers = [copySource(source.key)]
        let isWhole = range == 0..<source.size
        if !isWhole {
            request.headers.append(("x-amz-copy-source-range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
        }
        let (tag, md5) = try sendCopy(request, result: "CopyPartResult", of: isWhole ? source : nil)
        return S3Part(number: number, tag: tag, md5: md5 ?? [])
    }

    /// Lets the store copy an object with other metadata; replaces an object that has the new key.
    ///
    /// - Parameters:
    ///   - source: The object, which has at most ``copyLimit`` bytes, with the ETag that a list or its head has.
    ///   - key: The key of the copy.
    ///   - headers: Header fields of the copy, such as `x-amz-meta-…`.
    /// - Throws: ``S3Error``, with ``S3Error/Reason/missing`` if there is no such object and with
    ///   ``S3Error/Reason/damaged`` if the store copied other bytes.
    package func copy(
        _ source: S3Object,
        to key: String,
        headers: [(name: String, value: String)]
    ) throws(S3Error) {
        var request = S3Request("PUT", key)
        request.headers = [
            copySource(source.key), ("x-amz-metadata-directive", "REPLACE"),
            ("Content-Type", "application/octet-stream"),
        ]
        request.headers += encryptionHeaders + headers
        _ = try sendCopy(request, result: "CopyObjectResult", of: source)
    }

    /// Compares an object with the parts of which it was made.
    ///
    /// - Parameters:
    ///   - key: The key of the object.
    ///   - parts: The parts, in the order of their numbers.
    ///   - size: The number of bytes in all parts.
    /// - Throws: ``S3Error``, with ``S3Error/Reason/damaged`` if the object has another size, or an ETag that is a digest
    ///   of other parts.
    package func verify(_ key: String, of parts: [S3Part], size: Int64) throws(S3Error) {
        let other = S3Error(.damaged, "the S3 store has other bytes under '\(key)' than those of its parts")
        guard let object = try head(key), object.size == size else { throw other }
        // An ETag of another form, as with keys of a key service, is no digest.
        guard !parts.contains(where: \.md5.isEmpty), object.tag.hasSuffix("-\(parts.count)") else { return }
        guard object.tag == S3Part.tag(of: parts.map(\.md5)) else { throw other }
    }

    private func copySource(_ key: String) -> (name: String, value: String) {
        ("x-amz-copy-source", "/\(bucket.name)/\(S3Encoding.path(key))")
    }

    /// Sends a request that copies; returns the ETag of the copy, and the MD5 that it is.
    ///
    /// Compares it with the ETag of the source, if that is copied as a whole.
    private func sendCopy(
        _ template: S3Request,
        result: String,
        of source: S3Object?
    ) throws(S3Error) -> (tag: String, md5: [UInt8]?) {
        var request = template
        request.body = S3Body([])
        var retries = S3Retries(options)
        while true {
            do throws(S3Error) {
                let response = try sendLong(request)
                guard let document = response.document, document.name == result,
                    let tag = document.text(of: "ETag")?.filter({ $0 != "\"" }), !tag.isEmpty
                else { throw S3Error(.unavailable, "\(bucket.origin) does not say what it copied") }
                let md5 = S3Tag.md5(tag, in: response)
                if let md5, let source, let expected = S3Tag.md5(source.tag, in: response), md5 != expected {
                    throw S3Error(.damaged, "the S3 store copied other bytes of '\(source.key)' than it has")
                }
                return (tag, md5)
            } catch {
                try wait(after: error, &retries)
            }
        }
    }
}

extension S3Object {
    /// Creates the value of an object that the caller knows.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - size: The number of bytes.
    ///   - tag: The ETag without quotation marks; empty if it is unknown.
    ///   - modified: When it was stored, in seconds since 1970; 0 if it is unknown.
    package init(key: String, size: Int64, tag: String, modified: Int64 = 0) {
        self.init(key: key, size: size, modified: modified, tag: tag)
    }
}

extension S3Tag {
    /// The MD5 that an ETag is; `nil` if it is none, or the digest of several parts.
    static func md5(_ tag: String, in response: S3Response) -> [UInt8]? {
        guard tag.utf8.count == 32, isDigest(tag, in: response) else { return nil }
        let digits = Array(tag.utf8)
        return stride(from: 0, to: 32, by: 2).map { index in
            digits[index..<index + 2].reduce(0) { $0 << 4 | ($1 < 0x3A ? $1 - 0x30 : $1 - 0x57) }
        }
    }
}
