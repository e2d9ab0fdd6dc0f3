internal import Crypto
package import NIOCore

/// Keeps derivatives of one app's files, so that none is made twice while there is space.
///
/// Everything in it can be made again: it may forget anything at any time, and whoever asks makes it anew. The disk
/// implements it; tests have one in memory; both pass one contract suite.
package protocol DerivativeStore: Sendable {
    /// Opens a derivative, or returns nothing if it is not there. Never shows a partial one.
    func open(_ name: DerivativeName) async throws -> StoredDerivative?

    /// Keeps a derivative, also over one of the same name; removes those that were not used for longest if the space is
    /// used.
    ///
    /// Readers that opened the former one continue to read it. Does not keep what alone is larger than the space.
    func store(_ bytes: ByteBuffer, as mediaType: MediaType, under name: DerivativeName) async throws

    /// Forgets all derivatives of one source; those who have one open can still read it.
    func remove(allOf source: String) async throws
}

/// What a derivative is kept under.
package struct DerivativeName: Sendable, Hashable {
    /// What it was made of: a file's key or whatever else tells sources of one app apart; any text.
    package let source: String
    /// What was made, for instance ``ImageRequest/canonical``; any text.
    package let request: String

    /// Takes both.
    package init(source: String, request: String) {
        self.source = source
        self.request = request
    }
}

/// A derivative as it is served.
package struct StoredDerivative: Sendable {
    /// Its bytes.
    package let blob: any OpenBlob
    /// What it is served as.
    package let mediaType: MediaType
    /// 32 lower-case hexadecimal digits, equal only for equal bytes: the strong validator is made of it.
    package let tag: String

    /// Takes what was kept.
    package init(blob: any OpenBlob, mediaType: MediaType, tag: String) {
        self.blob = blob
        self.mediaType = mediaType
        self.tag = tag
    }

    /// The tag of bytes.
    package static func tag(of bytes: ByteBuffer) -> String {
        let digest = bytes.withUnsafeReadableBytes { SHA256.hash(data: $0) }
        return Array(digest.prefix(16)).hexadecimal
    }
}
