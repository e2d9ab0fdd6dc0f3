extension S3Client {
    /// Passes the bytes of a range of an object to a closure, in order.
    ///
    /// A transfer that breaks off continues where it stopped, so each byte arrives once. The bytes are counted, not
    /// compared with a digest.
    ///
    /// - Parameters:
    ///   - range: The bytes; they must exist.
    ///   - object: The object, as a list or its head described it.
    ///   - take: Receives the next bytes, valid during the call only.
    /// - Returns: The object with its metadata.
    /// - Throws: ``S3Error``: with ``S3Error/Reason/missing`` if the object does not exist or is another one by now;
    ///   errors of the closure.
    @discardableResult
    package func read(
        _ range: Range<Int64>,
        of object: S3Object,
        _ take: @escaping (_ bytes: UnsafeRawBufferPointer) throws(S3Error) -> Void
    ) throws(S3Error) -> S3Object {
        let transfer = S3Transfer(object, range, take)
        var retries = S3Retries(options)
        while true {
            let before = transfer.position
            do throws(S3Error) {
                return try transfer.finish(sendOnce(transfer.request))
            } catch let error where error.code == "PreconditionFailed" || error.code == "InvalidRange" {
                throw S3Error(.missing, "'\(object.key)' is not the object any more that it was")
            } catch {
                if transfer.position > before { retries.noteProgress() }
                try wait(after: error, &retries)
            }
        }
    }
}

/// The state of a transfer of a range between attempts.
private final class S3Transfer {
    private let object: S3Object
    private let range: Range<Int64>
    private let take: (UnsafeRawBufferPointer) throws(S3Error) -> Void
    /// The offset of the next byte.
    private(set) var position: Int64
    private var isBegun = false

    init(
        _ object: S3Object,
        _ range: Range<Int64>,
        _ take: @escaping (UnsafeRawBufferPointer) throws(S3Error) -> Void
    ) {
        self.object = object
        self.range = range
        self.take = take
        position = range.lowerBound
    }

    /// The request for the bytes that are missing.
    var request: S3Request {
        isBegun = false
        var request = S3Request("GET", object.key)
        if position > 0 || range.upperBound < object.size {
            request.headers.append(("Range", "bytes=\(position)-\(range.upperBound - 1)"))
        }
        if !object.tag.isEmpty { request.headers.append(("If-Match", "\"\(object.tag)\"")) }
        request.receive = { [self] head, bytes throws(S3Error) in try receive(head, bytes) }
        return request
    }

    func finish(_ response: S3Response) throws(S3Error) -> S3Object {
        // A response without a body is not received.
        if !isBegun { try begin(response) }
        guard position == range.upperBound else {
            let text = "'\(object.key)' ended at \(position), not at \(range.upperBound)"
            throw S3Error(.unavailable, text, isTemporary: true)
        }
        var found = object
        found.metadata = response.metadata
        return found
    }

    private func receive(_ head: S3Response, _ bytes: UnsafeRawBufferPointer) throws(S3Error) {
        if !isBegun { try begin(head) }
        guard position + Int64(bytes.count) <= range.upperBound else {
            throw S3Error(.damaged, "'\(object.key)' arrived with more bytes than requested")
        }
        try take(bytes)
        position += Int64(bytes.count)
    }

    private func begin(_ head: S3Response) throws(S3Error) {
        isBegun = true
        guard head.tag.map({ object.tag.isEmpty || $0 == object.tag }) ?? true else {
            throw S3Error(.missing, "'\(object.key)' is not the object any more that it was")
        }
        let isWhole = position == 0 && range.upperBound == object.size
        if head.status == 206 {
            // bytes 100-199/200
            let found = head.headers["content-range"]?.split(whereSeparator: { " -/".contains($0) }) ?? []
            guard found.count == 4, Int64(found[1]) == position, Int64(found[3]) == object.size else {
                throw S3Error(.damaged, "the S3 store answers with another range of '\(object.key)' than requested")
            }
        } else if !isWhole || head.length ?? object.size != object.size {
            throw S3Error(.damaged, "the S3 store answers with other bytes of '\(object.key)' than requested")
        }
    }
}
