internal import Crypto

/// An upload of one object in parts (S3's multipart upload).
///
/// A part that fails is sent again; an upload that fails is aborted, so that its parts take no space. A process that is
/// killed leaves its parts: a lifecycle rule of the bucket removes them (`AbortIncompleteMultipartUpload`).
extension S3Client {
    /// The name of the header with the size of parts, from which a download computes the ETag that it expects.
    static let partSizeHeader = "x-amz-meta-part-size"
    /// The maximum number of parts that stores accept.
    static let maxParts: Int64 = 10_000

    /// The size of the parts of an object.
    func partSize(for size: Int64) -> Int64 {
        let needed = (size + S3Client.maxParts - 1) / S3Client.maxParts
        guard needed > options.partSize else { return options.partSize }
        let unit: Int64 = 1 << 20
        return (needed + unit - 1) / unit * unit
    }

    func putParts(_ key: String, _ file: S3File, size: Int64) throws(S3Error) {
        let partSize = partSize(for: size)
        let upload = try beginUpload(key, partSize: partSize)
        do throws(S3Error) {
            var parts: [S3Part] = []
            var offset: Int64 = 0
            while offset < size {
                let range = offset..<min(size, offset + partSize)
                parts.append(try putPart(key, upload, number: parts.count + 1, S3Body(file, range)))
                offset = range.upperBound
            }
            try complete(key, upload, parts, size: size)
        } catch {
            var abort = S3Request("DELETE", key)
            abort.query = [("uploadId", upload)]
            // The error of the upload is the one that the caller needs.
            _ = try? send(abort)
            throw error
        }
    }

    private func beginUpload(_ key: String, partSize: Int64) throws(S3Error) -> String {
        var request = S3Request("POST", key)
        request.query = [("uploads", "")]
        request.headers = [
            ("Content-Type", "application/octet-stream"), (S3Client.partSizeHeader, String(partSize)),
        ]
        request.body = S3Body([])
        guard let upload = try send(request).document?.text(of: "UploadId"), !upload.isEmpty else {
            throw S3Error(.unavailable, "\(bucket.origin) answers without the id of an upload in parts")
        }
        return upload
    }

    private func putPart(_ key: String, _ upload: String, number: Int, _ body: S3Body) throws(S3Error) -> S3Part {
        var request = S3Request("PUT", key)
        request.query = [("partNumber", String(number)), ("uploadId", upload)]
        request.headers = [("Content-MD5", body.digests.md5.base64)]
        request.body = body
        let response = try send(request)
        try S3Client.compare(response, with: body.digests.md5.hexadecimal, key)
        guard let tag = response.tag, !tag.isEmpty else {
            throw S3Error(.unavailable, "\(bucket.origin) answers without the ETag of a part")
        }
        return S3Part(number: number, tag: tag, md5: body.digests.md5)
    }

    private func complete(_ key: String, _ upload: String, _ parts: [S3Part], size: Int64) throws(S3Error) {
        var request = S3Request("POST", key)
        request.query = [("uploadId", upload)]
        request.headers = [("Content-Type", "application/xml")]
        let list = parts.map { part in
            "<Part><PartNumber>\(part.number)</PartNumber><ETag>&quot;\(part.tag.xmlEscaped)&quot;</ETag></Part>"
        }
        request.body = S3Body(Array("<CompleteMultipartUpload>\(list.joined())</CompleteMultipartUpload>".utf8))
        var retries = S3Retries(options)
        var isRepeated = false
        while true {
            do throws(S3Error) {
                let response = try sendOnce(request)
                // Stores send the head before they know the result.
                guard response.document?.name == "Error" else { return }
                let failed = S3Response(status: 500, body: response.body)
                throw S3Refusal(failed, request, bucket, now: S3Client.now()).error
            } catch {
                // An earlier attempt can have succeeded whose answer was lost.
                if isRepeated, error.code == "NoSuchUpload", try isStored(key, parts, size: size) { return }
                try wait(after: error, &retries)
                isRepeated = true
            }
        }
    }

    private func isStored(_ key: String, _ parts: [S3Part], size: Int64) throws(S3Error) -> Bool {
        guard let object = try head(key), object.size == size else { return false }
        return object.tag == S3Part.tag(of: parts.map(\.md5))
    }
}

/// A part that the store has.
struct S3Part {
    let number: Int
    let tag: String
    let md5: [UInt8]

    /// The ETag of an object of parts with these digests.
    static func tag(of digests: [[UInt8]]) -> String {
        "\(Insecure.MD5.hash(data: digests.flatMap(\.self)).hexadecimal)-\(digests.count)"
    }
}
