internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// The body of `POST /files/<name>`: bytes of any size, or small JSON of an old SDK that only looks like a JSON file
/// (file-protocol 3.1).
///
/// A body is taken for the latter if it says so at its beginning, is not larger than JSON may be, and has no members
/// but those that the old SDKs send. Everything else is a file, and streams.
struct OldBody {
    /// What the body is.
    enum Kind {
        case bytes
        case base64([String: JSONValue])
        case remote(JSONValue)
    }

    private let mayBeJSON: Bool
    private let limit: Int
    private var iterator: RequestBody.AsyncIterator
    private var collected = ByteBuffer()

    /// How much is looked at to tell whether the body is of an old SDK.
    private static let beginning = 16 << 10
    private static let members: Set<String> = [
        "base64", "_ContentType", "name", "url", "mime_type", "metaData", "ACL", "__type", "size", "owner", "prefix",
        "keep_file_name", "key", "fetch",
    ]

    init(_ request: Request, limit: Int) {
        mayBeJSON = request.headers[.contentType].flatMap { MediaType($0) }?.isJSON == true
        self.limit = limit
        iterator = request.body.makeAsyncIterator()
    }

    /// Tells what the body is, once; if it is bytes, take them with ``next()``.
    @concurrent mutating func read() async throws -> Kind {
        guard mayBeJSON else { return .bytes }
        try await collect(upTo: OldBody.beginning)
        let start = String(decoding: collected.readableBytesView.prefix(OldBody.beginning), as: UTF8.self)
        guard start.first(where: { !$0.isWhitespace }) == "{",
            start.contains(#""base64""#) || start.contains(#""url""#)
        else { return .bytes }
        try await collect(upTo: limit + 1)
        guard collected.readableBytes <= limit,
            let json = try? JSONValue(parsing: Array(collected.readableBytesView), field: "The body"),
            let members = json.objectValue, members.keys.allSatisfy(OldBody.members.contains)
        else { return .bytes }
        if members["base64"]?.stringValue != nil { return .base64(members) }
        return members["url"]?.stringValue != nil ? .remote(json) : .bytes
    }

    /// The next bytes, those that were looked at among them.
    @concurrent mutating func next() async throws -> ByteBuffer? {
        if collected.readableBytes > 0 {
            defer { collected = ByteBuffer() }
            return collected
        }
        return try await iterator.next()
    }

    @concurrent private mutating func collect(upTo count: Int) async throws {
        while collected.readableBytes < count, let bytes = try await iterator.next() {
            collected.writeImmutableBuffer(bytes)
        }
    }
}
