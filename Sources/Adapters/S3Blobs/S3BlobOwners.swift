internal import Domain
package import S3

/// The object of an app in a bucket with the ids of those to whom the app's blobs belong, and with the app's key.
///
/// Servers compare it at each start, so that none uses the blobs of another database, or encrypted ones without their
/// key. Every call blocks.
package struct S3BlobOwners: Sendable {
    private let client: S3Client
    private let layout: S3BlobLayout
    private let keys: BlobKeys?

    private static let title = "lcfile blobs 1"
    private static let field = "id: "
    private static let keyField = "key: "
    private static let limit = 64 << 10

    private struct Contents {
        var ids: [String]
        var wrapped: [BlobKeys.Wrapped]
    }

    /// Creates the access; sends no request.
    ///
    /// - Parameters:
    ///   - client: The client of the bucket.
    ///   - layout: The names of the app's objects.
    ///   - keys: The keys of the settings; `nil` if blobs are not encrypted.
    package init(_ client: S3Client, layout: S3BlobLayout, keys: BlobKeys? = nil) {
        self.client = client
        self.layout = layout
        self.keys = keys
    }

    /// The ids; `nil` if the bucket has no such object.
    ///
    /// - Throws: `S3Error`, also if the object has another form, or if the bucket's blobs cannot be used with the keys
    ///   of the settings.
    package func read() throws(S3Error) -> [String]? {
        guard let found = try load() else { return nil }
        try require(found.wrapped)
        return found.ids
    }

    /// Whether blobs are encrypted from now on, and those that are there are not.
    ///
    /// - Throws: The errors of ``read()``.
    package func isEncryptionNew() throws(S3Error) -> Bool {
        guard keys != nil, let found = try load() else { return false }
        try require(found.wrapped)
        return found.wrapped.isEmpty
    }

    /// The encryption of the app's blobs; `nil` if they are not encrypted.
    ///
    /// - Throws: The errors of ``read()``.
    package func encryption() throws(S3Error) -> BlobEncryption? {
        guard let keys else {
            _ = try read()
            return nil
        }
        let wrapped = try load()?.wrapped ?? []
        do throws(SealError) {
            let key = try keys.key(of: layout.app, wrapped)
            return BlobEncryption(keys: [key], readsUnencrypted: keys.readsUnencrypted)
        } catch {
            throw unusable(wrapped, error)
        }
    }

    /// Seals the app's key with the first key of the settings, before the first blob is encrypted and after a rotation.
    ///
    /// - Throws: `S3Error`.
    package func renewKeys() throws(S3Error) {
        guard keys != nil, let found = try load() else { return }
        try require(found.wrapped)
        if try renewed(found.wrapped) != found.wrapped { try write(found.ids) }
    }

    /// Throws if blobs cannot be used with the keys of the settings.
    private func require(_ wrapped: [BlobKeys.Wrapped]) throws(S3Error) {
        guard let keys else {
            guard let first = wrapped.first else { return }
            throw S3Error(
                .settings,
                "the blobs below '\(layout.root)' are encrypted with the key \(first.id), and blobs.encryption.keys is "
                    + "not set"
            )
        }
        guard !wrapped.isEmpty || keys.readsUnencrypted else {
            throw S3Error(
                .settings,
                "the blobs below '\(layout.root)' are not encrypted, and blobs.encryption.keys is set: move them to another "
                    + "prefix, or set blobs.encryption.unencrypted: read (docs/encryption.md)"
            )
        }
        do throws(SealError) {
            _ = try keys.key(of: layout.app, wrapped)
        } catch {
            throw unusable(wrapped, error)
        }
    }

    private func unusable(_ wrapped: [BlobKeys.Wrapped], _ error: any Error) -> S3Error {
        guard error as? SealError != .forged else {
            return S3Error(
                .settings,
                "the key of the app in the object '\(layout.ownersName)' is damaged, or is another app's: restore this "
                    + "object from a copy (docs/encryption.md)"
            )
        }
        let needed = wrapped.map(\.id).joined(separator: " or ")
        let given = (keys?.ids ?? []).joined(separator: ", ")
        return S3Error(
            .settings,
            "the blobs below '\(layout.root)' are encrypted with the key \(needed), which blobs.encryption.keys does not "
                + "have; it has \(given)"
        )
    }

    private func renewed(_ wrapped: [BlobKeys.Wrapped]) throws(S3Error) -> [BlobKeys.Wrapped] {
        guard let keys else { return wrapped }
        do {
            return try keys.renewed(wrapped, of: layout.app)
        } catch {
            throw unusable(wrapped, error)
        }
    }

    private func load() throws(S3Error) -> Contents? {
        guard let bytes = try client.get(layout.ownersName, limit: S3BlobOwners.limit) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        var found = Contents(ids: [], wrapped: [])
        var isKnown = lines.first == S3BlobOwners.title[...] && lines.last?.isEmpty == true
        for line in lines.dropFirst().dropLast() {
            if line.hasPrefix(S3BlobOwners.field) {
                found.ids.append(String(line.dropFirst(S3BlobOwners.field.count)))
            } else if line.hasPrefix(S3BlobOwners.keyField),
                let envelope = [UInt8](base64: line.dropFirst(S3BlobOwners.keyField.count)),
                let id = Envelope.keyID(of: envelope)
            {
                found.wrapped.append(BlobKeys.Wrapped(id: id, envelope: envelope))
            } else {
                isKnown = false
            }
        }
        guard isKnown, !found.ids.isEmpty else {
            throw S3Error(.refused, "the object '\(layout.ownersName)' is not one of this version of lcfile")
        }
        return found
    }

    /// Stores the ids, and the key of the app.
    ///
    /// - Parameter ids: At least one, each without line breaks.
    /// - Throws: `S3Error`.
    package func write(_ ids: [String]) throws(S3Error) {
        let wrapped = try renewed(try load()?.wrapped ?? [])
        let fields = ids.map { S3BlobOwners.field + $0 } + wrapped.map { S3BlobOwners.keyField + $0.envelope.base64URL }
        try client.put(layout.ownersName, bytes: Array(([S3BlobOwners.title] + fields).map { "\($0)\n" }.joined().utf8))
    }

    /// Whether the bucket has any object of the app.
    ///
    /// - Throws: `S3Error`.
    package func hasObjects() throws(S3Error) -> Bool {
        try client.list(prefix: layout.root, after: nil).objects.contains { $0.key.hasPrefix(layout.root) }
    }
}
