internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// The body of `POST /files/<name>`: bytes of any size, or small JSON of an old SDK, which could also be a JSON file
/// (protocol/files 3.1).
///
/// A body is the JSON of an old SDK if its beginning contains the keywords, it is within the limit for JSON, and it has
/// no members except those that the old SDKs send. Every other body is a file and is streamed.
struct LegacyUploadBody {
    /// The kind of the body.
    enum Kind {
        case bytes
        /// The description of the file, and its bytes.
        case base64([String: JSONValue], Base64Input)
        case remote(JSONValue)
    }

    /// Whether the type and the announced size allow the JSON of an old SDK.
    private let mayBeJSON: Bool
    private let limits: WireLimits
    /// The share of the collected bytes.
    private let share: BodyMemory.Share
    private var iterator: RequestBody.AsyncIterator
    private var pace = BufferedPace()
    private var collected = ByteBuffer()

    /// The number of bytes that are checked for the keywords of an old SDK.
    private static let beginning = 16 << 10
    private static let members: Set<String> = [
        "base64", "_ContentType", "name", "url", "mime_type", "metaData", "ACL", "__type", "size", "owner", "prefix",
        "keep_file_name", "key", "fetch",
    ]

    init(_ request: Request, limits: WireLimits, share: BodyMemory.Share) {
        mayBeJSON =
            request.headers[.contentType].flatMap { MediaType($0) }?.isJSON == true
            && request.announcedSize ?? 0 <= Int64(limits.jsonSize)
        self.limits = limits
        self.share = share
        iterator = request.body.makeAsyncIterator()
    }

    /// Determines the kind of the body, once; for bytes, continue with ``next()``.
    @concurrent mutating func read() async throws -> Kind {
        guard mayBeJSON else { return .bytes }
        try await collect(upTo: LegacyUploadBody.beginning)
        let start = String(decoding: collected.readableBytesView.prefix(LegacyUploadBody.beginning), as: UTF8.self)
        guard start.first(where: { !$0.isWhitespace }) == "{",
            start.contains(#""base64""#) || start.contains(#""url""#)
        else { return .bytes }
        // A JSON file would be collected as a whole otherwise, up to the limit.
        guard !LegacyUploadBody.hasOtherMember(collected) else { return .bytes }
        try await collect(upTo: limits.jsonSize + 1)
        guard collected.readableBytes <= limits.jsonSize else { return .bytes }
        let body = JSONBody(text: collected, share: share, maxValues: limits.jsonValues)
        guard let (members, digits) = try LegacyUploadBody.members(of: body) else { return .bytes }
        if let digits { return .base64(members, digits) }
        return members["url"]?.stringValue != nil ? .remote(.object(members)) : .bytes
    }

    /// Whether the beginning of a body has a member that no old SDK sends.
    private static func hasOtherMember(_ start: ByteBuffer) -> Bool {
        start.withUnsafeReadableBytes { bytes in
            var scanner = JSONScanner(bytes.bindMemory(to: UInt8.self), field: "The body")
            guard scanner.enter("{") else { return false }
            // The scanner fails where the beginning ends.
            while let name = try? scanner.nextName() {
                guard members.contains(name.text) else { return true }
                guard (try? scanner.skipValue()) != nil else { return false }
            }
            return false
        }
    }

    /// The members of the body, and the range of the file's bytes if it has them; `nil` if no old SDK sends such a
    /// body.
    private static func members(of body: JSONBody) throws -> (members: [String: JSONValue], digits: Base64Input?)? {
        let ranges = try? body.withText { text -> [String: Range<Int>]? in
            var scanner = JSONScanner(text, field: "The body")
            guard scanner.enter("{") else { return nil }
            var ranges: [String: Range<Int>] = [:]
            while let name = try scanner.nextName() {
                guard members.contains(name.text),
                    ranges.updateValue(try scanner.skipValue(), forKey: name.text) == nil
                else { return nil }
            }
            try scanner.requireEnd()
            return ranges
        }
        guard var ranges = ranges ?? nil else { return nil }
        var digits: Base64Input?
        if let range = ranges["base64"], let text = Base64Input(body, at: range) {
            digits = text
            ranges["base64"] = nil
        }
        do {
            return (try ranges.mapValues { try body.value(at: $0).value }, digits)
        } catch let error as ServiceError where error.code != .overloaded {
            return nil
        }
    }

    /// The next bytes, including those that were checked.
    mutating func next() async throws -> ByteBuffer? {
        if collected.readableBytes > 0 {
            defer {
                share.shrink(by: collected.readableBytes)
                collected = ByteBuffer()
            }
            return collected
        }
        return try await iterator.next(isolation: #isolation)
    }

    @concurrent private mutating func collect(upTo count: Int) async throws {
        var start = ContinuousClock.now
        while collected.readableBytes < count, let bytes = try await iterator.next() {
            try pace.take(bytes.readableBytes, after: ContinuousClock.now - start, holding: share.used)
            try share.grow(by: bytes.readableBytes)
            collected.writeImmutableBuffer(bytes)
            start = ContinuousClock.now
        }
    }
}
