internal import FoundationEssentials

/// An entry of the list of images that are blocked without further checks.
public struct KnownImage: Sendable, Hashable, Codable {
    /// The entry's id; `nil` for a new one.
    public var id: String?
    /// The SHA-256 of the bytes, 64 hexadecimal digits.
    public var sha256: String?
    /// The PDQ hash of the image, 64 hexadecimal digits; also finds slightly changed copies.
    public var pdq: String?
    /// The id of the blocked file from which the entry was made.
    public var file: String?
    /// A note.
    public var note: String?
    /// The time of creation; `nil` for a new one.
    public var createdAt: String?

    /// Creates an entry; at least one hash is required.
    public init(sha256: String? = nil, pdq: String? = nil, note: String? = nil) {
        self.sha256 = sha256
        self.pdq = pdq
        self.note = note
    }
}

/// The list of known images; every call needs the master key and throws ``FileClientError``.
extension FileClient {
    /// A page of the list, the newest first.
    ///
    /// - Parameters:
    ///   - limit: The number of entries, 1 to 200.
    ///   - cursor: The cursor of the page before; `nil` for the first page.
    /// - Returns: The entries and the cursor of the next page.
    /// - Throws: ``FileClientError``.
    public func knownImages(limit: Int = 50, cursor: String? = nil) async throws -> CensorPage<KnownImage> {
        try await page("/1.1/censorship/known", [("limit", String(limit)), ("cursor", cursor)])
    }

    /// Adds images to the list, in requests of at most 1000.
    ///
    /// - Parameter images: The entries.
    /// - Returns: The number of entries that the list did not contain.
    /// - Throws: ``FileClientError``; earlier requests stay in effect.
    public func addKnownImages(_ images: [KnownImage]) async throws -> Int {
        struct Reply: Decodable {
            let added: Int
        }
        var added = 0
        for start in stride(from: 0, to: images.count, by: 1000) {
            let batch = Array(images[start..<min(start + 1000, images.count)])
            let body = try JSONEncoder().encode(["images": batch])
            let reply: Reply = try await call("POST", ["censorship", "known"], [UInt8](body))
            added += reply.added
        }
        return added
    }

    /// Removes an entry of the list.
    public func removeKnownImage(_ id: String) async throws {
        guard !id.isEmpty else { throw FileClientError(.local, "the id is empty") }
        _ = try await send(request("DELETE", "/1.1/censorship/known/\(id.percentEncoded)"))
    }
}
