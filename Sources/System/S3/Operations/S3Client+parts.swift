internal import Crypto

/// An upload of one object in parts (S3's multipart upload).
///
/// A part that fails is sent again; an upload that fails is aborted, so that its parts take no space. A process that is
/// killed leaves its parts: a lifecycle rule of the bucket removes them (`AbortIncompleteMultipartUpload`).
extension S3Client {
    /// The name of the header with the size of parts, from which a download computes the ETag that it expects.
    static let partSizeHeader = "x-amz-meta-part-size"
    /// The maximum number of parts that stores accept.
    package static let maxParts: Int64 = 10_000

    /// The size of the parts of an object.
    func partSize(for size: Int64) -> Int64 {
        let needed = (size + S3Client.maxParts - 1) / S3Client.maxParts
        guard needed > options.partSize else { return options.partSize }
        let unit: Int64 = 1 << 20
        return (needed + unit - 1) / unit * unit
    }

    func putParts(_ key: String, _ file: S3File, size: Int64) throws(S3Error) {
        let partSize = partSize(for: size)
        let upload = try begin(key, headers: [(S3Client.partSizeHeader, String(partSize))])
        do throws(S3Error) {
            var parts: [S3Part] = []
            var offset: Int64 = 0
            while offset < size {
                let range = offset..<min(size, offset + partSize)
                parts.append(try put(S3Content(S3Body(file, range)), as: parts.count + 1, of: upload))
                offset = range.upperBound
            }
            try complete(upload, parts, size: size)
        } catch {
            // The error of the upload is the one that the caller needs.
            try? abort(upload)
            throw error
        }
    }

    /// Begins an upload in parts; ``complete(_:_:size:)`` or ``abort(_:)`` ends it.
    ///
    /// - Parameters:
    ///   - key: The key of the object.
    ///   - headers: Further header fields of the object, such as `x-amz-meta-…`.
    /// - Returns: The upload.
    /// - Throws: ``S3Error``.
    package func begin(_ key: String, headers: [(name: String, value: String)]) throws(S3Error) -> S3Upload {
        var request = S3Request("POST", key)
        request.query = [("uploads", "")]
        request.headers = [("Content-Type", "application/octet-stream")] + encryptionHeaders + headers
        request.body = S3Body([])
        guard let id = try send(request).document?.text(of: "UploadId"), !id.isEmpty else {
            throw S3Error(.unavailable, "\(bucket.origin) answers without the id of an upload in parts")
        }
        return S3Upload(key: key, id: id, begun: S3Client.now())
    }

    /// Sends a part, which replaces an earlier one of the same number; several threads can send parts at once.
    ///
    /// - Parameters:
    ///   - content: The bytes: at least 5 MiB in all parts but the last.
    ///   - number: 1 to 10,000.
    ///   - upload: The upload.
    /// - Returns: The part.
    /// - Throws: ``S3Error``.
    package func put(_ content: S3Content, as number: Int, of upload: S3Upload) throws(S3Error) -> S3Part {
        let digests = content.body.digests
        var request = S3Request("PUT", upload.key)
        request.query = [("partNumber", String(number)), ("uploadId", upload.id)]
        request.headers = [("Content-MD5", digests.md5.base64)]
        request.body = content.body
        let response = try send(request)
        try S3Client.compare(response, with: digests.md5.hexadecimal, upload.key)
        guard let tag = response.tag, !tag.isEmpty else {
            throw S3Error(.unavailable, "\(bucket.origin) answers without the ETag of a part")
        }
        return S3Part(number: number, tag: tag, md5: digests.md5)
    }

    /// Makes the parts one object.
    ///
    /// - Parameters:
    ///   - upload: The upload.
    ///   - parts: All parts in the order of their numbers.
    ///   - size: The number of bytes in all parts.
    /// - Throws: ``S3Error``; the object can exist then.
    package func complete(_ upload: S3Upload, _ parts: [S3Part], size: Int64) throws(S3Error) {
        var request = S3Request("POST", upload.key)
        request.query = [("uploadId", upload.id)]
        request.headers = [("Content-Type", "application/xml")]
        let list = parts.map { part in
            "<Part><PartNumber>\(part.number)</PartNumber><ETag>&quot;\(part.tag.xmlEscaped)&quot;</ETag></Part>"
        }
        request.body = S3Body(Array("<CompleteMultipartUpload>\(list.joined())</CompleteMultipartUpload>".utf8))
        var retries = S3Retries(options)
        var isRepeated = false
        while true {
            do throws(S3Error) {
                _ = try sendLong(request)
                return
            } catch {
                // An earlier attempt can have succeeded whose answer was lost.
                if isRepeated, error.code == "NoSuchUpload", try isStored(upload.key, parts, size: size) { return }
                try wait(after: error, &retries)
                isRepeated = true
            }
        }
    }

    /// Removes the parts of an upload that is not complete; an upload that does not exist is ignored.
    package func abort(_ upload: S3Upload) throws(S3Error) {
        var request = S3Request("DELETE", upload.key)
        request.query = [("uploadId", upload.id)]
        do throws(S3Error) {
            _ = try send(request)
        } catch {
            guard error.reason == .missing else { throw error }
        }
    }

    /// The uploads in parts that are not complete, of keys that begin with a prefix; at most 1000.
    package func uploads(prefix: String) throws(S3Error) -> [S3Upload] {
        var request = S3Request("GET")
        request.query = [("uploads", ""), ("encoding-type", "url"), ("prefix", prefix)]
        request.limit = 8 << 20
        let document = try send(request).document
        guard let document, document.name == "ListMultipartUploadsResult" else {
            throw S3Error(.unavailable, "\(bucket.origin) answers with something else than a list of uploads")
        }
        let isEncoded = document.text(of: "EncodingType") == "url"
        return document.children.filter { $0.name == "Upload" }.compactMap { entry in
            let text = entry.text(of: "Key") ?? ""
            guard let key = isEncoded ? S3Encoding.decode(text) : text, let id = entry.text(of: "UploadId") else {
                return nil
            }
            let begun = entry.text(of: "Initiated").flatMap { SigningTime.seconds(ofXML: $0) } ?? 0
            return S3Upload(key: key, id: id, begun: begun)
        }
    }

    private func isStored(_ key: String, _ parts: [S3Part], size: Int64) throws(S3Error) -> Bool {
        guard let object = try head(key), object.size == size else { return false }
        return object.tag == S3Part.tag(of: parts.map(\.md5))
    }
}

/// An upload in parts that is not complete.
package struct S3Upload: Sendable, Hashable {
    /// The key of the object.
    package let key: String
    /// The store's id of the upload.
    package let id: String
    /// When it began, in seconds since 1970; 0 if the store does not say.
    package let begun: Int64

    /// Creates the value from parts that were stored elsewhere.
    package init(key: String, id: String, begun: Int64) {
        self.key = key
        self.id = id
        self.begun = begun
    }
}

/// A part that the store has.
package struct S3Part: Sendable {
    /// 1 to 10,000.
    package let number: Int
    /// The store's ETag, without quotation marks.
    package let tag: String
    /// The MD5 of the bytes.
    package let md5: [UInt8]

    /// Creates the value from its parts.
    package init(number: Int, tag: String, md5: [UInt8]) {
        self.number = number
        self.tag = tag
        self.md5 = md5
    }

    /// The ETag of an object of parts with these digests.
    static func tag(of digests: [[UInt8]]) -> String {
        "\(Insecure.MD5.hash(data: digests.flatMap(\.self)).hexadecimal)-\(digests.count)"
    }
}
