package import S3

/// The object of an app in a bucket with the ids of those to whom the app's blobs belong.
///
/// Servers compare it at each start, so that none uses the blobs of another database. Every call blocks.
package struct S3BlobOwners: Sendable {
    private let client: S3Client
    private let layout: S3BlobLayout

    private static let title = "lcfile blobs 1"
    private static let field = "id: "
    private static let limit = 64 << 10

    /// Creates the access; sends no request.
    package init(_ client: S3Client, layout: S3BlobLayout) {
        self.client = client
        self.layout = layout
    }

    /// The ids; `nil` if the bucket has no such object.
    ///
    /// - Throws: `S3Error`, also if the object has another form.
    package func read() throws(S3Error) -> [String]? {
        guard let bytes = try client.get(layout.ownersName, limit: S3BlobOwners.limit) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let ids = lines.dropFirst().dropLast()
        guard lines.first == S3BlobOwners.title[...], lines.last?.isEmpty == true, !ids.isEmpty,
            ids.allSatisfy({ $0.hasPrefix(S3BlobOwners.field) })
        else {
            throw S3Error(.refused, "the object '\(layout.ownersName)' is not one of this version of lcfile")
        }
        return ids.map { String($0.dropFirst(S3BlobOwners.field.count)) }
    }

    /// Stores the ids.
    ///
    /// - Parameter ids: At least one, each without line breaks.
    /// - Throws: `S3Error`.
    package func write(_ ids: [String]) throws(S3Error) {
        let lines = [S3BlobOwners.title] + ids.map { S3BlobOwners.field + $0 }
        try client.put(layout.ownersName, bytes: Array(lines.map { "\($0)\n" }.joined().utf8))
    }

    /// Whether the bucket has any object of the app.
    ///
    /// - Throws: `S3Error`.
    package func hasObjects() throws(S3Error) -> Bool {
        try client.list(prefix: layout.root, after: nil).objects.contains { $0.key.hasPrefix(layout.root) }
    }
}
