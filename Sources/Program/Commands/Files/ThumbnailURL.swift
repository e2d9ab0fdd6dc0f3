internal import FileClient

/// The URL of a thumbnail that the server serves: with a signature where it needs one (docs/private-files.md).
struct ThumbnailURL {
    /// The thumbnail.
    let thumbnail: Thumbnail
    /// The client with whose rights the URL is signed.
    let client: FileClient

    /// LeanCloud's code of the answer to a call that only the master key can make.
    private static let masterKeyRequired = 119

    /// The URL for a file.
    ///
    /// - Parameter record: The record.
    /// - Returns: The URL.
    /// - Throws: ``ThumbnailRefused`` if these rights do not suffice for a signature, ``NoSuchFile`` for a record
    ///   without a URL, `FileClientError`.
    func url(of record: FileRecord) async throws -> String {
        guard let url = record.url else { throw NoSuchFile(description: "the record has no URL") }
        // Another server has the file, and signs nothing here.
        guard record.key != nil else { return thumbnail.url(of: url) }
        do {
            return try await client.signedURL(of: record.objectId, image: thumbnail.query).url
        } catch let error as FileClientError where error.status == 403 {
            guard error.code != ThumbnailURL.masterKeyRequired else { throw ThumbnailRefused(reason: error) }
            // The caller found the record, but is not allowed to get it by its id; public images need no signature.
            return thumbnail.url(of: url)
        }
    }
}

/// The server limits the images that it renders, and not for these credentials.
struct ThumbnailRefused: Error, CustomStringConvertible {
    let reason: FileClientError

    var description: String {
        "\(reason) Use --master, or print the URL of a style with 'lcfile url --image STYLE'."
    }
}
