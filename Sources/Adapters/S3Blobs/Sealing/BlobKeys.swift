internal import Crypto
internal import Domain

/// The keys of the settings, with which the operator can use the encrypted blobs of all apps.
///
/// They seal one key for each app, and that one seals the keys of the objects. So a new key of the settings changes one
/// object, however many blobs there are.
package struct BlobKeys: Sendable {
    /// The keys; the first one wraps, all of them unwrap.
    let keys: [WrappingKey]
    /// Whether blobs without encryption are read (``BlobEncryption/readsUnencrypted``).
    let readsUnencrypted: Bool

    /// `nil` without a key.
    ///
    /// - Parameters:
    ///   - keys: The keys; the first one wraps, all of them unwrap.
    ///   - readsUnencrypted: Whether blobs without encryption are read.
    package init?(keys: [WrappingKey], readsUnencrypted: Bool = false) {
        guard !keys.isEmpty else { return nil }
        self.keys = keys
        self.readsUnencrypted = readsUnencrypted
    }

    /// The ids of the keys, in their order.
    package var ids: [String] { keys.map(\.id) }

    /// The key of an app, as one key of the settings has sealed it.
    struct Wrapped: Hashable {
        /// The id of the key of the settings.
        let id: String
        let envelope: [UInt8]
    }

    private static func context(_ app: String) -> String { "lcfile app key 1\n\(app)" }

    /// The key of an app whose bucket has none yet: two servers that begin at the same time have the same one.
    private func firstKey(of app: String) -> WrappingKey? {
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: keys[0].key,
            info: Array(BlobKeys.context(app).utf8),
            outputByteCount: WrappingKey.size
        )
        return WrappingKey(key.withUnsafeBytes { Array($0) })
    }

    /// The key of an app.
    ///
    /// - Parameters:
    ///   - app: The id of the app.
    ///   - wrapped: What the bucket has; empty if it has no key yet.
    /// - Returns: The key.
    /// - Throws: ``SealError``.
    func key(of app: String, _ wrapped: [Wrapped]) throws(SealError) -> WrappingKey {
        guard let first = wrapped.first else {
            guard let key = firstKey(of: app) else { throw .forged }
            return key
        }
        var failure = SealError.unknownKey(first.id)
        // In a rotation several open, and one of them can be damaged.
        for own in wrapped where ids.contains(own.id) {
            do throws(SealError) {
                return try open(own, of: app)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private func open(_ own: Wrapped, of app: String) throws(SealError) -> WrappingKey {
        let bytes = try Envelope.open(own.envelope, with: keys, for: BlobKeys.context(app))
        guard let key = WrappingKey(bytes) else { throw .forged }
        return key
    }

    /// What the bucket has to have: the key of the app, sealed by the first key, and by others that are in use.
    ///
    /// The newest key comes first. Those behind the first key of these settings are dropped unless these settings have
    /// them; those in front of it are of servers that are further in a rotation. A damaged one of the first key is
    /// sealed anew while another opens, because the other can be dropped next.
    func renewed(_ wrapped: [Wrapped], of app: String) throws -> [Wrapped] {
        var wrapped = wrapped
        let known = wrapped.firstIndex { $0.id == ids[0] }
        if known.flatMap({ try? open(wrapped[$0], of: app) }) == nil {
            let bytes = try key(of: app, wrapped).key.withUnsafeBytes { Array($0) }
            let envelope = try Envelope.seal(bytes, with: keys, for: BlobKeys.context(app))
            if let known { wrapped.remove(at: known) }
            wrapped.insert(Wrapped(id: ids[0], envelope: envelope), at: known ?? 0)
        }
        let own = known ?? 0
        return wrapped[...own] + wrapped[(own + 1)...].filter { ids.contains($0.id) }
    }
}
