package import Domain
internal import FoundationEssentials
package import NIOCore
package import NIOPosix
internal import Synchronization

/// Detects media types with Debian's table of extensions and with libmagic.
package final class MagicTypeDetector: TypeDetector {
    private let extensions: ExtensionTable
    private let cookie: Mutex<MagicCookie>
    private let pool: NIOThreadPool

    /// Loads libmagic's database and the table of extensions.
    ///
    /// - Parameters:
    ///   - table: A file in the form of `/etc/mime.types`.
    ///   - pool: Threads for libmagic, which needs milliseconds for unusual input.
    /// - Throws: An error if the database or the table cannot be read.
    package init(table: String = "/etc/mime.types", pool: NIOThreadPool) throws {
        extensions = ExtensionTable(
            parsing: String(decoding: try Data(contentsOf: URL(filePath: table)), as: UTF8.self)
        )
        cookie = Mutex(try MagicCookie())
        self.pool = pool
    }

    package func type(ofExtension pathExtension: String) -> MediaType? {
        extensions.type(ofExtension: pathExtension)
    }

    package func type(of head: ByteBuffer) async throws -> MediaType? {
        guard head.readableBytes > 0 else { return nil }
        return try await pool.runIfActive { [self] in
            // Ignores results that are not media types, such as an error or "unknown".
            let word = cookie.withLock { cookie in
                head.withUnsafeReadableBytes { try? cookie.type(of: $0) }
            }
            return word.flatMap { MediaType($0) }.flatMap { $0 == .octetStream ? nil : $0 }
        }
    }
}
