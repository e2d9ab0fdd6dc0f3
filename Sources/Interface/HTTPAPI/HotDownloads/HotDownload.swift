internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// The prepared responses to simple requests for one target: a whole file or a whole cached derivative.
///
/// A class, because a structure of a dozen references would be copied for each request.
final class HotDownload: Sendable {
    /// Where the bytes of the body are.
    enum Body: Sendable {
        /// In memory; at most ``HotDownload/longestInMemory`` bytes. Those of ``HotDownload/shortestFile`` or more can have
        /// their file as well.
        case memory(ByteBuffer, BlobFile? = nil)
        case file(BlobFile)
    }

    /// The maximum size in bytes of a body in memory, which leaves with the head in one system call.
    static let longestInMemory: Int64 = 128 << 10
    /// The minimum size in bytes of a body that the kernel can send from its file faster than from memory.
    static let shortestFile = 64 << 10

    /// The body, if it is in memory.
    let bytes: ByteBuffer?
    /// The file of the body; `nil` if the body is in memory alone.
    let file: BlobFile?
    /// The size of the body in bytes.
    let size: Int64
    /// The path of the target, for the log.
    let path: String
    /// The app of the file, for the log.
    let app: AppID?
    /// Whether the target requests an image, for the metrics.
    let isImage: Bool
    private let tag: EntityTag
    /// The fields of the heads, without those that differ in each response.
    private let fields: (whole: HTTPFields, unchanged: HTTPFields)
    /// The heads as HTTP/1.1 has them.
    private let whole: ByteBuffer
    private let unchanged: ByteBuffer

    /// Prepares responses by the route's response to the target.
    ///
    /// - Parameters:
    ///   - response: The response with the whole body.
    ///   - path: The path of the target.
    ///   - app: The app of the file; `nil` if it is unknown.
    ///   - isImage: Whether the target requests an image.
    ///   - tag: The entity tag of the response.
    ///   - body: The bytes of its body.
    ///   - size: The size of the body in bytes.
    init(
        _ response: Response,
        path: String,
        app: AppID? = nil,
        isImage: Bool = false,
        tag: EntityTag,
        body: Body,
        size: Int64
    ) {
        self.isImage = isImage
        (bytes, file) =
            switch body {
            case .memory(let bytes, let file): (bytes, file)
            case .file(let file): (nil, file)
            }
        self.size = size
        self.path = path
        self.app = app
        self.tag = tag
        whole = HotDownload.head(.ok, response.headers)
        let headers = Representation.notModified(response.headers)
        unchanged = HotDownload.head(.notModified, headers)
        fields = (response.headers, headers)
    }

    private init(_ other: HotDownload, bytes: ByteBuffer) {
        self.bytes = bytes
        file = nil
        isImage = other.isImage
        size = other.size
        path = other.path
        app = other.app
        tag = other.tag
        fields = other.fields
        whole = other.whole
        unchanged = other.unchanged
    }

    /// Whether a client that sent these tags in `If-None-Match` has the bytes already.
    func isUnchanged(for tags: String?) -> Bool {
        tags.map { tag.isAmong($0, comparison: .weak) } ?? false
    }

    /// The memory in bytes of the heads, the body and the path.
    var memory: Int {
        // Fields take about as much as the bytes of the heads, and a word for each name and value.
        var memory = 3 * (whole.readableBytes + unchanged.readableBytes) + 2 * path.utf8.count
        memory += bytes?.storageCapacity ?? 0
        return memory
    }

    /// Whether a read of the file failed, also one for another response: the next request must take the route.
    var isDamaged: Bool { file?.blob.isDamaged ?? false }

    /// The same responses with a body in memory alone; `nil` if it is in a file alone.
    var withoutFile: HotDownload? { bytes.map { HotDownload(self, bytes: $0) } }

    /// The head of a response of HTTP/1.1.
    ///
    /// - Parameters:
    ///   - isUnchanged: Whether the status is 304 instead of 200.
    ///   - id: The value of `X-Request-Id`.
    ///   - date: The value of `Date`.
    ///   - allocator: Allocates the buffer.
    /// - Returns: Its bytes, with the empty line.
    func head(isUnchanged: Bool, id: HotRequestID, date: String, _ allocator: ByteBufferAllocator) -> ByteBuffer {
        let prepared = isUnchanged ? unchanged : whole
        var head = allocator.buffer(capacity: prepared.readableBytes + 128)
        head.writeImmutableBuffer(prepared)
        head.writeStaticString("X-Request-Id: ")
        id.write(to: &head)
        head.writeStaticString("\r\nDate: ")
        head.writeString(date)
        head.writeStaticString("\r\nServer: lcfile\r\n\r\n")
        return head
    }

    /// The head of a response of HTTP/2.
    ///
    /// - Parameters: As those of ``head(isUnchanged:id:date:_:)``.
    func response(isUnchanged: Bool, id: HotRequestID, date: String) -> HTTPResponse {
        var fields = isUnchanged ? fields.unchanged : fields.whole
        fields.append(HTTPField(name: .requestID, value: id.description))
        fields.append(HTTPField(name: .date, value: date))
        fields.append(HTTPField(name: .server, value: "lcfile"))
        return HTTPResponse(status: isUnchanged ? .notModified : .ok, headerFields: fields)
    }

    private static func head(_ status: HTTPResponse.Status, _ headers: HTTPFields) -> ByteBuffer {
        var head = "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n"
        for field in headers { head += "\(field.name): \(field.value)\r\n" }
        return ByteBuffer(string: head)
    }
}
