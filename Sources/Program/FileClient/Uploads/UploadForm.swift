internal import FoundationEssentials

/// A file with its description as `multipart/form-data` (RFC 7578).
struct UploadForm {
    /// The value of `Content-Type`.
    let contentType: String
    /// The whole form.
    let body: RequestBody
    /// The number of bytes before those of the file.
    let headSize: Int64

    /// - Parameters:
    ///   - file: The bytes of the file.
    ///   - description: What the server stores about it; the key must be `nil`, because forms have none.
    ///   - boundary: A string that does not occur in the form.
    init(_ file: RequestBody, _ description: UploadDescription, boundary: String = UploadForm.randomBoundary()) {
        var head = ""
        func field(_ name: String, _ value: String?) {
            guard let value else { return }
            head += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }
        // A part of its own, because file names in headers need escapes on which servers disagree.
        field("name", description.name)
        field("mime_type", description.mimeType)
        field("metaData", description.metaData?.description)
        field("ACL", description.acl?.description)
        field("prefix", description.keyPrefix)
        if description.keyKeepsName { field("keep_file_name", "true") }
        head += "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"file\"\r\n"
        head += "Content-Type: application/octet-stream\r\n\r\n"
        contentType = "multipart/form-data; boundary=\(boundary)"
        let start = RequestBody(Array(head.utf8))
        headSize = start.size
        body = UploadForm.concatenation([start, file, RequestBody(Array("\r\n--\(boundary)--\r\n".utf8))])
    }

    private static func concatenation(_ parts: [RequestBody]) -> RequestBody {
        RequestBody(size: parts.reduce(0) { $0 + $1.size }) { buffer, offset in
            var offset = offset
            for part in parts {
                if offset < part.size {
                    let window = buffer.prefix(Int(min(Int64(buffer.count), part.size - offset)))
                    return try part.read(UnsafeMutableRawBufferPointer(rebasing: window), offset)
                }
                offset -= part.size
            }
            return 0
        }
    }

    private static func randomBoundary() -> String {
        "lcfile-\(UUID().uuidString)"
    }
}
