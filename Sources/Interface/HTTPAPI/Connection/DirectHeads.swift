internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

extension HTTPRequest {
    /// The request of a head that ``RequestScan`` recognised as direct: the same as from NIO's decoder.
    ///
    /// - Parameters:
    ///   - head: The bytes of the whole request.
    ///   - scheme: The scheme of its URL.
    init(scanned head: ByteBuffer, scheme: String) {
        self = head.withUnsafeReadableBytes { bytes in
            var rest = bytes[...]
            let method = rest.removeFirst(through: UInt8(ascii: " "))
            let target = rest.removeFirst(through: UInt8(ascii: " "))
            _ = rest.removeFirst(through: UInt8(ascii: "\n"))
            var request = HTTPRequest(
                method: method.count == 3 ? .get : .head,
                scheme: scheme,
                authority: nil,
                path: String(decoding: target, as: UTF8.self)
            )
            while rest.first != UInt8(ascii: "\r"), !rest.isEmpty {
                var line = rest.removeFirst(through: UInt8(ascii: "\n")).dropLast()
                let name = String(decoding: line.removeFirst(through: UInt8(ascii: ":")), as: UTF8.self)
                let value = String(decoding: line.drop { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
                guard let name = HTTPField.Name(name) else { continue }
                if name.canonicalName == "host" {
                    request.authority = value
                } else {
                    request.headerFields.append(HTTPField(name: name, value: value))
                }
            }
            return request
        }
    }
}

extension HTTPResponse {
    /// The head of HTTP/1.1.
    ///
    /// - Parameter allocator: Allocates the buffer.
    /// - Returns: `nil` for a head whose body is not sent as it is, or which says that it is the last.
    func bytes(_ allocator: ByteBufferAllocator) -> ByteBuffer? {
        guard status.code >= 200, status != .noContent, status != .notModified else { return nil }
        var bytes = allocator.buffer(capacity: 512)
        bytes.writeStaticString("HTTP/1.1 ")
        bytes.writeString(String(status.code))
        bytes.writeStaticString(" ")
        bytes.writeString(HTTPResponseStatus(statusCode: status.code, reasonPhrase: status.reasonPhrase).reasonPhrase)
        bytes.writeStaticString("\r\n")
        var hasLength = false
        for field in headerFields {
            switch field.name.canonicalName {
            case "content-length": hasLength = true
            case "connection", "transfer-encoding": return nil
            default: break
            }
            bytes.writeString(field.name.rawName)
            bytes.writeStaticString(": ")
            field.withUnsafeBytesOfValue { _ = bytes.writeBytes($0) }
            bytes.writeStaticString("\r\n")
        }
        bytes.writeStaticString("\r\n")
        return hasLength ? bytes : nil
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// Removes the bytes up to the first one of a kind, and that one.
    ///
    /// - Returns: The bytes before it.
    fileprivate mutating func removeFirst(through byte: UInt8) -> Slice<UnsafeRawBufferPointer> {
        let end = firstIndex(of: byte) ?? endIndex
        defer { self = self[Swift.min(end + 1, endIndex)...] }
        return self[startIndex..<end]
    }
}
