internal import Glibc

/// A local file that is open for reading; closed when the last reference to it is released.
///
/// Thread-safe: readers pass the offset and do not use the file's own one.
package final class LocalFile: Sendable {
    private let descriptor: CInt

    /// - Parameter descriptor: A descriptor that is open for reading; this value closes it.
    package init(owning descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Provides the descriptor while the body runs; the body must not close or store it.
    package func withDescriptor<Result>(_ body: (CInt) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(self) { try body(descriptor) }
    }

    /// Provides the descriptor while an asynchronous body runs; the body must not close or store it.
    package func lendDescriptor<Result>(_ body: (CInt) async throws -> Result) async rethrows -> Result {
        defer { withExtendedLifetime(self) {} }
        return try await body(descriptor)
    }
}
