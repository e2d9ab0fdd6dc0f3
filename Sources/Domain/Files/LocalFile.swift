internal import Glibc

/// A file of this machine that is open for reading; closed when the last reference to it goes.
///
/// Several threads may read it at the same time, by position: its offset belongs to no reader.
package final class LocalFile: Sendable {
    private let descriptor: CInt

    /// - Parameter descriptor: Open for reading; this value closes it.
    package init(owning descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Lends the descriptor for as long as the body runs; the body neither closes nor stores it.
    package func withDescriptor<Result>(_ body: (CInt) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(self) { try body(descriptor) }
    }

    /// The same for a body that waits.
    package func lendDescriptor<Result>(_ body: (CInt) async throws -> Result) async rethrows -> Result {
        defer { withExtendedLifetime(self) {} }
        return try await body(descriptor)
    }
}
