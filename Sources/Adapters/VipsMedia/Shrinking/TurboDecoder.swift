internal import CTurboJPEG
internal import Domain

/// A TurboJPEG decoder for one image on one thread, with the facts from the image's header.
struct TurboDecoder: ~Copyable {
    let size: ImageSize
    let subsampling: ChromaSubsampling
    private let bytes: UnsafeRawBufferPointer
    private let handle: Handle

    /// Warnings are errors, so that libvips handles every damaged image.
    private static let flags = TJFLAG_STOPONWARNING

    /// Reads the header; `nil` for a damaged one, for colours other than YCbCr and grey, and for other subsamplings.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let handle = Handle() else { return nil }
        var (width, height, subsampling, colors): (CInt, CInt, CInt, CInt) = (0, 0, 0, 0)
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        guard start != nil,
            tjDecompressHeader3(handle.pointer, start, UInt(bytes.count), &width, &height, &subsampling, &colors) == 0,
            colors == CInt(TJCS_YCbCr.rawValue) || colors == CInt(TJCS_GRAY.rawValue),
            let known = ChromaSubsampling(subsampling),
            (colors == CInt(TJCS_GRAY.rawValue)) == (known == .grey)
        else { return nil }
        size = ImageSize(width: Int(width), height: Int(height))
        self.subsampling = known
        self.bytes = bytes
        self.handle = handle
    }

    /// Decodes to planes of ``ChromaSubsampling/layouts(of:)``; returns `false` on errors.
    func decode(at scaled: ImageSize, into planes: borrowing Planes) -> Bool {
        var starts = (0..<3).map { planes.start($0) }
        var strides = planes.layouts.map { CInt($0.stride) }
        let status = tjDecompressToYUVPlanes(
            handle.pointer,
            bytes.bindMemory(to: UInt8.self).baseAddress,
            UInt(bytes.count),
            &starts,
            CInt(scaled.width),
            &strides,
            CInt(scaled.height),
            TurboDecoder.flags
        )
        guard status == 0 else { return false }
        // The padding of the first plane to whole chroma samples is undefined, and zimg's filter reads it.
        planes.extendFirst(from: scaled)
        return true
    }

    private struct Handle: ~Copyable {
        let pointer: tjhandle

        init?() {
            guard let pointer = tjInitDecompress() else { return nil }
            self.pointer = pointer
        }

        deinit {
            tjDestroy(pointer)
        }
    }
}
