internal import FoundationEssentials

/// Which files a collection looks for.
public struct CollectionOrder: Sendable, Hashable, Encodable {
    /// Seconds since the creation and the last change of a file that can be collected.
    public var unusedFor: Int
    /// Classes whose objects do not count.
    public var ignoreClasses: [String] = []
    /// Fields whose values do not count, as `Class.field`.
    public var ignoreFields: [String] = []
    /// Fields whose strings count as the ids and keys of files, as `Class.field`.
    public var fields: [String] = []
    /// Whether URLs in strings count.
    public var urls = true

    /// Creates an order by which every reference counts.
    public init(unusedFor: Int) {
        self.unusedFor = unusedFor
    }
}

/// How far the scan of a collection is.
public struct CollectionProgress: Sendable, Hashable, Codable {
    /// The number of objects that were read.
    public let scanned: Int
    /// The number of objects when the scan began.
    public let total: Int
    /// Whether all were read.
    public let complete: Bool
}

/// A file that a collection found.
public struct CollectedFile: Sendable, Hashable, Codable {
    /// The objectId.
    public let objectId: String
    /// The key.
    public let key: String
    /// The name.
    public let name: String
    /// The URL.
    public let url: String
    /// The size in bytes.
    public let size: Int64
    /// The time of creation, ISO 8601.
    public let createdAt: String
}

/// One page of the files of a collection.
public struct CollectionPage: Sendable, Codable {
    /// The files; a page can be empty before the end.
    public let results: [CollectedFile]
    /// The number of files to which an object began to refer meanwhile; they are not collected.
    public let saved: Int?
    /// The parameter of the next page; `nil` at the end.
    public let cursor: String?
}

/// The search for files that no object refers to; every call needs the master key and throws ``FileClientError``.
extension FileClient {
    /// Begins a collection; an earlier one of the app ends.
    ///
    /// - Parameter order: What to look for.
    /// - Returns: The id of the collection.
    /// - Throws: ``FileClientError``.
    public func beginCollection(_ order: CollectionOrder) async throws -> String {
        struct Reply: Decodable {
            let objectId: String
        }
        let reply: Reply = try await call("POST", ["collections"], [UInt8](try JSONEncoder().encode(order)))
        return reply.objectId
    }

    /// Lets the server read further objects, for some seconds.
    public func scan(_ collection: String) async throws -> CollectionProgress {
        try await call("POST", ["collections", collection, "scan"])
    }

    /// A page of the files that can be collected.
    public func files(ofCollection collection: String, cursor: String? = nil) async throws -> CollectionPage {
        try await page(of: collection, "GET", cursor)
    }

    /// Moves a page of files to the trash.
    public func collect(_ collection: String, cursor: String? = nil) async throws -> CollectionPage {
        try await page(of: collection, "POST", cursor)
    }

    /// Ends a collection and frees its memory.
    public func endCollection(_ collection: String) async throws {
        _ = try await send(request("DELETE", "/1.1/collections/\(collection.percentEncoded)"))
    }

    private func page(of collection: String, _ method: String, _ cursor: String?) async throws -> CollectionPage {
        let query = FileClient.queryString(cursor.map { [("cursor", $0)] } ?? [])
        let path = "/1.1/collections/\(collection.percentEncoded)/files"
        return try decode(await send(request(method, path + query)))
    }
}
