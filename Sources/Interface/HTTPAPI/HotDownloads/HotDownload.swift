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
        /// In memory; at most ``HotDownload/longestInMemory`` bytes.
        case memory(ByteBuffer)
        /// In a local file of the blob, which closes with its last reference.
        case file(LocalFile, any OpenBlob)
    }

    /// The maximum size in bytes of a body in memory, which leaves with the head in one system call: for larger ones
    /// `sendfile` is as fast.
    static let longestInMemory: Int64 = 128 << 10

    let body: Body
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
        self.body = body
        self.size = size
        self.path = path
        self.app = app
        self.tag = tag
        whole = HotDownload.head(.ok, response.headers)
        let headers = Representation.notModified(response.headers)
        unchanged = HotDownload.head(.notModified, headers)
        fields = (response.headers, headers)
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

    /// Whether a read of the bytes failed, also one for another response: the next request must take the route.
    var isDamaged: Bool { if case .file(_, let blob) = body { blob.isDamaged } else { false } }

    /// The body, if it is in memory.
    var bytes: ByteBuffer? { if case .memory(let bytes) = body { bytes } else { nil } }

    /// Whether the responses keep a file open.
    var holdsFile: Bool { if case .file = body { true } else { false } }

    /// The head of a response of HTTP/1.1.
    ///
    /// - Parameters:
    ///   - isUnchanged: Whether the status is 304 instead of 200.
    ///   - id: The value of `X-Request-Id`.
    ///   - date: The value of `Date`.
    ///   - allocator: Allocates the buffer.
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
