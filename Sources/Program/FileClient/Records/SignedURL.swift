internal import FoundationEssentials

/// A URL that expires, for a file or an image of it.
public struct SignedURL: Sendable, Hashable, Decodable {
    /// The URL.
    public let url: String
    /// When it expires, in ISO 8601; `nil` if it needs no signature and stays valid.
    public let expiresAt: String?
}

extension FileClient {
    /// A URL for a file or an image of it, with a signature if it needs one (docs/private-files.md).
    ///
    /// - Parameters:
    ///   - objectId: The file's id.
    ///   - seconds: The life of the URL; `nil` for that of URLs in records.
    ///   - image: Operators such as `imageView2/1/w/200`, or the name of one of the app's styles; `nil` for the file.
    /// - Returns: The URL.
    /// - Throws: ``FileClientError`` with status 404 if the file does not exist, 403 for callers who are not allowed to
    ///   read its record, 400 for a life or operators that are not allowed.
    public func signedURL(of objectId: String, seconds: Int? = nil, image: String? = nil) async throws -> SignedURL {
        var members: [String: JSON] = [:]
        if let seconds { members["expiresIn"] = .integer(Int64(seconds)) }
        if let image { members["image"] = .string(image) }
        return try await call("POST", ["files", objectId, "url"], Array(JSON.object(members).description.utf8))
    }
}
