internal import Crypto
package import NIOCore

/// A cache of derivatives of one app's files.
///
/// All its entries can be rendered again: it can remove any entry at any time. The disk implements it; tests have one
/// in memory; both pass one contract suite.
package protocol DerivativeStore: Sendable {
    /// Opens a derivative; `nil` if it is not stored. Never shows a partial one.
    func open(_ name: DerivativeName) async throws -> StoredDerivative?

    /// The same, but only of those that are on this machine: as fast as its disk.
    func openLocal(_ name: DerivativeName) async throws -> StoredDerivative?

    /// Stores a derivative, replacing one of the same name; removes the least recently used ones if the space is used
    /// up.
    ///
    /// Readers that opened a replaced derivative continue to read it. A derivative larger than the whole space is not
    /// stored.
    func store(_ bytes: ByteBuffer, as mediaType: MediaType, under name: DerivativeName) async throws

    /// Removes all derivatives of one source; open ones stay readable.
    func remove(allOf source: String) async throws

    /// Removes the derivatives of one source that only this server has, while another one removes those that all share.
    func forget(allOf source: String) async throws

    /// Removes shared derivatives whose time is over.
    func removeExpired() async throws
}

extension DerivativeStore {
    /// The same as ``open(_:)``: all are on this machine.
    package func openLocal(_ name: DerivativeName) async throws -> StoredDerivative? { try await open(name) }

    /// The same as ``remove(allOf:)``: nothing is shared.
    package func forget(allOf source: String) async throws { try await remove(allOf: source) }

    /// Does nothing: nothing is shared.
    package func removeExpired() async throws {}
}

/// The name of a derivative in the cache.
package struct DerivativeName: Sendable, Hashable {
    /// The source: a file's key or any string that identifies a source within the app.
    package let source: String
    /// The rendering, for instance ``ImageRequest/canonical``; any string.
    package let request: String

    /// Creates a name.
    package init(source: String, request: String) {
        self.source = source
        self.request = request
    }
}

/// A stored derivative with the values for a response.
package struct StoredDerivative: Sendable {
    /// Its bytes.
    package let blob: any OpenBlob
    /// The media type of the response.
    package let mediaType: MediaType
    /// 32 lower-case hexadecimal digits, equal only for equal bytes; the strong validator is derived from it.
    package let tag: String

    /// Creates a value from a stored derivative.
    package init(blob: any OpenBlob, mediaType: MediaType, tag: String) {
        self.blob = blob
        self.mediaType = mediaType
        self.tag = tag
    }

    /// The tag of the bytes.
    package static func tag(of bytes: ByteBuffer) -> String {
        let digest = bytes.withUnsafeReadableBytes { SHA256.hash(data: $0) }
        return Array(digest.prefix(16)).hexadecimal
    }
}
