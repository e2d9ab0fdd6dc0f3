internal import FileClient
internal import FoundationEssentials

/// Previews of images on terminals that can show them.
struct ImagePreviews {
    /// The maximum size of a preview in bytes; thumbnails are far smaller.
    private static let maxSize = 4 << 20

    /// Whether previews are shown.
    let areOn: Bool

    /// - Parameter allowed: Whether the user wants previews.
    init(allowed: Bool) {
        areOn = allowed && Terminal.isOutput && KittyImage.isShown(in: ProcessInfo.processInfo.environment)
    }

    /// Prints the preview of an image, or its URL if the server does not give one.
    func show(_ state: CensorState, from client: FileClient) async throws {
        guard areOn else { return }
        do {
            let png = try await client.thumbnailPNG(of: state) ?? []
            // Bytes of another format, such as an error page, must not reach the terminal.
            if png.starts(with: [0x89, 0x50, 0x4E, 0x47]), png.count <= ImagePreviews.maxSize {
                return Terminal.printLine(KittyImage.sequences(for: png))
            }
        } catch let error as CancellationError {
            throw error
        } catch {}
        if let url = state.thumbnailURL { Terminal.printLine(Terminal.printable(url)) }
    }
}
