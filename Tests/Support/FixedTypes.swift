package import Domain
package import NIOCore

/// A type detector that knows three extensions and detects only JPEG, so that tests can predict its results.
package struct FixedTypes: TypeDetector {
    package init() {}

    package func type(ofExtension pathExtension: String) -> MediaType? {
        ["jpg": MediaType.jpeg, "txt": MediaType("text/plain"), "html": MediaType("text/html")][
            pathExtension.lowercased()
        ] ?? nil
    }

    package func type(of head: ByteBuffer) async throws -> MediaType? {
        head.readableBytesView.starts(with: [0xff, 0xd8, 0xff]) ? .jpeg : nil
    }

    package func imageType(of head: ByteBuffer) async throws -> MediaType? {
        try await type(of: head)
    }
}
