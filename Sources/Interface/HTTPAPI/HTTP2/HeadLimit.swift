internal import HTTPTypes
internal import NIOCore
internal import NIOHPACK

/// Limits the heads of responses of HTTP/2 to one frame of ``HTTP2Limits/responseHead`` bytes.
///
/// NIO writes no `CONTINUATION` frames. It encodes a longer head, which changes its table of header fields, and then fails
/// without sending it. The client's table does not change, so the client reads wrong fields in later responses of the
/// connection. So a head that is too long must not reach NIO.
enum HeadLimit {
    /// Fields that repeat what the client sent, and without which it can use the response.
    private static let dispensable: [HTTPField.Name] = [.uploadMetadata, .uploadConcat]

    /// The maximum number of bytes of what ``isShort(_:)`` does not get: the status, and the fields that differ in each
    /// prepared response.
    private static let reserve = 1 << 10
    /// The bytes before a head of two changes of the table's size, each to at most ``HTTP2Limits/headerTable``.
    private static let tableChanges = 6

    /// Returns a head that can be sent.
    ///
    /// - Parameter head: The head of a response.
    /// - Returns: The head, without dispensable fields if it is too long; `nil` if it is too long without all of them.
    static func limited(_ head: HTTPResponse) -> HTTPResponse? {
        guard !isShort(head.headerFields), encodedLength(of: head) > HTTP2Limits.responseHead else { return head }
        var head = head
        let fields = head.headerFields.filter { dispensable.contains($0.name) }
        for field in fields.sorted(by: { $0.value.utf8.count > $1.value.utf8.count }) {
            head.headerFields[field.name] = nil
            if encodedLength(of: head) <= HTTP2Limits.responseHead { return head }
        }
        return nil
    }

    /// Whether a head with these fields fits with any bytes; it costs less than ``encodedLength(of:)``.
    static func isShort(_ fields: HTTPFields) -> Bool {
        // NIO always uses the Huffman code of HPACK, with at most 30 bits for a byte. The index and the lengths of a field
        // take at most 10 bytes more.
        let size = fields.reduce(0) { $0 + $1.name.canonicalName.utf8.count + $1.value.utf8.count + 3 }
        return 4 * size <= HTTP2Limits.responseHead - reserve
    }

    /// The maximum number of bytes of an encoded head: those without a table, which only makes heads shorter.
    static func encodedLength(of head: HTTPResponse) -> Int {
        let allocator = ByteBufferAllocator()
        var encoder = HPACKEncoder(allocator: allocator)
        do {
            try encoder.beginEncoding(allocator: allocator)
            try encoder.appendNonIndexed(header: ":status", value: "\(head.status.code)")
            for field in head.headerFields {
                try encoder.appendNonIndexed(header: field.name.canonicalName, value: field.value)
            }
            return try encoder.endEncoding().readableBytes + tableChanges
        } catch {
            // The encoder throws errors only if it is called in another order.
            return .max
        }
    }
}
