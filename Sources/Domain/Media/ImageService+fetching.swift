internal import NIOCore

/// Sources whose bytes are on another machine: first it reads only as many as the cost estimate needs.
extension ImageService {
    /// The number of first bytes of an image that are read for its header.
    ///
    /// The headers of ordinary photographs are shorter, including EXIF and the colour profile. Images of at most this
    /// size are fetched to memory, larger ones to a file.
    static let headSize = 256 << 10

    /// The header of an image; reads only the first bytes if they contain it.
    ///
    /// - Parameters:
    ///   - blob: The image.
    ///   - requester: The requester in whose share the read counts.
    /// - Returns: The header, and the bytes if all of them were read.
    /// - Throws: ``ServiceError/Code/imageTooLarge`` as soon as the sides are known and too large, read errors, and the
    ///   errors of ``ImageRenderer/header(of:for:)``.
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

    /// The image, with a copy on this machine of bytes that are on another one; files of this machine stay closed.
    func copied(_ image: ImageInput) async throws -> ImageInput {
        guard case .remote(let blob) = image.bytes else { return image }
        return ImageInput(header: image.header, bytes: .local(try await fetch(blob)))
    }

    /// An image whose bytes stay on this machine while the result exists.
    func fetch(_ image: ImageInput) async throws -> OpenImage {
        OpenImage(header: image.header, source: try await fetch(image.bytes))
    }

    /// The bytes on this machine while the result exists: in memory if they are few, else in a file without a name.
    ///
    /// - Throws: ``ServiceError/unreadable(_:)``, ``ServiceError/Code/storageFull``, ``ServiceError/Code/fileNotFound``.
    func fetch(_ bytes: ImageBytes) async throws -> ImageSource {
        switch bytes {
        case .local(let source): source
        case .closed(let origin): try await fetch(try await ImageBytes(try await origin.open()))
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
            let opened = try await ImageBytes(try await copy.open())
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

/// The error for a temporary area that is not on this machine.
private struct ScratchElsewhere: Error {}
