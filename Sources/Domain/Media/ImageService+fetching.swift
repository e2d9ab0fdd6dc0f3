internal import NIOCore

/// Sources whose bytes are on another machine: first only as much of them as it takes to price the image.
extension ImageService {
    /// How many first bytes of an image are read for its header.
    ///
    /// The headers of ordinary photographs are shorter, with their EXIF and their profile. Images of at most this size
    /// are fetched to memory, larger ones to a file.
    static let headSize = 256 << 10

    /// The header of an image of which only the first bytes are read if they tell it.
    ///
    /// - Parameters:
    ///   - blob: The image.
    ///   - requester: The requester in whose share the read counts.
    /// - Returns: The header, and the bytes if all of them had to be read for it.
    /// - Throws: ``ServiceError/Code/imageTooLarge`` for the sides as soon as they are known, what reading throws, and
    ///   what ``ImageRenderer/header(of:for:)`` throws.
    func remoteHeader(
        of blob: any OpenBlob,
        for requester: ImageRequester
    ) async throws -> (header: ImageHeader, source: ImageSource?) {
        let head = try await blob.read(at: 0, count: ImageService.headSize)
        if Int64(head.readableBytes) == blob.size {
            let source = ImageSource.memory(head)
            return (try await renderer.header(of: source, for: requester), source)
        }
        switch try await renderer.header(ofHead: head, of: blob.size, for: requester) {
        case .whole(let header):
            return (header, nil)
        case .partial(let size):
            if let size { try settings.limits.checkSource(size) }
            let source = try await fetch(.remote(blob))
            return (try await renderer.header(of: source, for: requester), source)
        }
    }

    /// An image with its bytes on this machine, for as long as the result lives.
    func fetch(_ image: ImageInput) async throws -> OpenImage {
        OpenImage(header: image.header, source: try await fetch(image.bytes))
    }

    /// The bytes on this machine, for as long as the result lives: in memory if they are few, else in a file without a
    /// name.
    ///
    /// - Throws: ``ServiceError/unreadable(_:)``, ``ServiceError/Code/storageFull``.
    func fetch(_ bytes: ImageBytes) async throws -> ImageSource {
        switch bytes {
        case .local(let source): source
        case .remote(let blob): try await fetch(blob)
        }
    }

    private func fetch(_ blob: any OpenBlob) async throws -> ImageSource {
        guard blob.size > ImageService.headSize else {
            var bytes = ByteBuffer()
            for try await piece in blob.pieces(of: 0..<blob.size) { bytes.writeImmutableBuffer(piece) }
            return .memory(bytes)
        }
        let copy = try await scratch.stage()
        let writer = copy.write(at: 0, digesting: [])
        do {
            for try await piece in blob.pieces(of: 0..<blob.size) { try await writer.append(piece) }
            _ = try await writer.finish()
            let opened = ImageBytes(try await copy.open())
            await copy.discard()
            guard case .local(let source) = opened else {
                throw ServiceError(.internalFailure, "Internal error.", cause: ScratchElsewhere())
            }
            return source
        } catch {
            await writer.settle()
            await copy.discard()
            throw error
        }
    }
}

/// The area for temporary files is not on this machine.
private struct ScratchElsewhere: Error {}
