internal import Crypto

/// The state of a download between attempts: how much of the object is in the file, and the digests so far.
final class S3Download {
    private let key: String
    private let path: String
    /// Created when the first bytes arrive, so that a missing object leaves no file.
    private var file: S3File?
    /// The number of bytes in the file.
    private(set) var received: Int64 = 0
    /// The size of the object; `nil` before the first head.
    private var size: Int64?
    /// The ETag of the bytes in the file; empty without one.
    private var tag = ""
    private var whole = Insecure.MD5()
    private var part = Insecure.MD5()
    private var partSize: Int64 = 0
    private var parts: [[UInt8]] = []
    /// Whether the head of the current attempt was read.
    private var isBegun = false

    init(_ key: String, toFileAt path: String) {
        self.key = key
        self.path = path
    }

    /// The request for the bytes that are missing.
    func request() throws(S3Error) -> S3Request {
        // Without an ETag nothing says that the object is still the same one.
        if tag.isEmpty, received > 0 { try restart() }
        isBegun = false
        var request = S3Request("GET", key)
        if received > 0 { request.headers = [("Range", "bytes=\(received)-"), ("If-Match", "\"\(tag)\"")] }
        request.receive = { [self] head, bytes throws(S3Error) in try receive(head, bytes) }
        return request
    }

    /// Forgets what was received.
    func restart() throws(S3Error) {
        try file?.truncate()
        (received, size, tag, parts, partSize) = (0, nil, "", [], 0)
        (whole, part) = (Insecure.MD5(), Insecure.MD5())
    }

    /// Whether an error means that the object is not the one whose beginning is in the file.
    func isChanged(_ error: S3Error) -> Bool {
        received > 0 && (error.code == "PreconditionFailed" || error.code == "InvalidRange")
    }

    /// Checks what was received, and syncs the file.
    func finish(_ response: S3Response) throws(S3Error) -> S3Object {
        // A response without a body is not received.
        if !isBegun { try begin(response) }
        guard received == size else {
            let text = "'\(key)' ended after \(received) of \(size ?? 0) bytes"
            throw S3Error(.unavailable, text, isTemporary: true)
        }
        if S3Tag.isDigest(tag, in: response) {
            if partSize > 0, received > 0, received % partSize != 0 { parts.append(Array(part.finalize())) }
            let isParts = tag.utf8.contains(UInt8(ascii: "-"))
            let expected = isParts ? S3Part.tag(of: parts) : Array(whole.finalize()).hexadecimal
            guard isParts && partSize == 0 || expected == tag else {
                throw S3Error(.damaged, "'\(key)' arrived with other bytes than its ETag says")
            }
        }
        try file?.synchronize()
        let modified = response.headers["last-modified"].flatMap { SigningTime.seconds(ofHTTP: $0) } ?? 0
        return S3Object(key: key, size: received, modified: modified, tag: tag)
    }

    private func receive(_ head: S3Response, _ bytes: UnsafeRawBufferPointer) throws(S3Error) {
        if !isBegun { try begin(head) }
        guard received + Int64(bytes.count) <= size ?? 0 else {
            throw S3Error(.damaged, "'\(key)' arrived with more bytes than the S3 store announced")
        }
        try file?.write(bytes, at: received)
        whole.update(bufferPointer: bytes)
        updateParts(bytes)
        received += Int64(bytes.count)
    }

    private func begin(_ head: S3Response) throws(S3Error) {
        isBegun = true
        if received > 0, head.status == 206 {
            // bytes 100-199/200
            let range = head.headers["content-range"]?.split(whereSeparator: { " -/".contains($0) }) ?? []
            guard range.count == 4, Int64(range[1]) == received, Int64(range[3]) == size else {
                throw S3Error(.damaged, "the S3 store answers with another range of '\(key)' than requested")
            }
            return
        }
        if received > 0 { try restart() }
        guard head.status == 200, let length = head.length, length >= 0 else {
            throw S3Error(.unavailable, "the S3 store does not say how long '\(key)' is")
        }
        if file == nil { file = try S3File(creating: path) }
        size = length
        tag = head.tag ?? ""
        partSize = max(0, head.headers[S3Client.partSizeHeader].flatMap { Int64($0) } ?? 0)
    }

    private func updateParts(_ bytes: UnsafeRawBufferPointer) {
        guard partSize > 0 else { return }
        var rest = bytes[...]
        var offset = received
        while !rest.isEmpty {
            let piece = rest.prefix(Int(clamping: partSize - offset % partSize))
            part.update(bufferPointer: UnsafeRawBufferPointer(rebasing: piece))
            offset += Int64(piece.count)
            rest = rest.dropFirst(piece.count)
            if offset % partSize == 0 {
                parts.append(Array(part.finalize()))
                part = Insecure.MD5()
            }
        }
    }
}

/// The bytes of an object that fits into memory.
final class S3SmallBody {
    private let key: String
    private let limit: Int
    private var bytes: [UInt8] = []

    init(_ key: String, limit: Int) {
        self.key = key
        self.limit = limit
    }

    func receive(_ head: S3Response, _ more: UnsafeRawBufferPointer) throws(S3Error) {
        guard head.length ?? 0 <= Int64(limit), bytes.count + more.count <= limit else {
            throw S3Error(.tooLarge, "'\(key)' has more than \(limit) bytes")
        }
        bytes.append(contentsOf: more)
    }

    func finish(_ response: S3Response) throws(S3Error) -> [UInt8] {
        if let tag = response.tag, S3Tag.isDigest(tag, in: response), !tag.utf8.contains(UInt8(ascii: "-")),
            tag != Array(Insecure.MD5.hash(data: bytes)).hexadecimal
        {
            throw S3Error(.damaged, "'\(key)' arrived with other bytes than its ETag says")
        }
        return bytes
    }
}
