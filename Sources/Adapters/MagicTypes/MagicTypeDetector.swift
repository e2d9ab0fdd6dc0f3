package import Domain
internal import FoundationEssentials
package import NIOCore
package import NIOPosix

/// Detects media types with Debian's table of extensions and with libmagic.
package final class MagicTypeDetector: TypeDetector {
    private let extensions: ExtensionTable
    private let all: MagicCookies
    private let binary: MagicCookies
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
        all = try MagicCookies(.all, count: System.coreCount)
        binary = try MagicCookies(.binary, count: System.coreCount)
        self.pool = pool
    }

    package func type(ofExtension pathExtension: String) -> MediaType? {
        extensions.type(ofExtension: pathExtension)
    }

    package func type(of head: ByteBuffer) async throws -> MediaType? {
        guard head.readableBytes > 0 else { return nil }
        return try await pool.runIfActive { [all] in all.type(of: head) }
    }

    package func imageType(of head: ByteBuffer) async throws -> MediaType? {
        // SVG is the only image format in text that this server renders.
        let canBeSVG = head.namesSVG
        guard canBeSVG || head.beginsLikeImage else { return nil }
        return try await pool.runIfActive { [all, binary] in
            let type = (canBeSVG ? all : binary).type(of: head)
            return type?.topLevel == "image" ? type : nil
        }
    }
}
