internal import CTurboJPEG
internal import Domain

/// A decoder of TurboJPEG, for one image on one thread, and what the image's header says.
struct TurboDecoder: ~Copyable {
    let size: ImageSize
    let subsampling: ChromaSubsampling
    private let bytes: UnsafeRawBufferPointer
    private let handle: Handle

    /// An image with any fault is libvips' to judge.
    private static let flags = TJFLAG_STOPONWARNING

    /// Reads the header; `nil` for a broken one, for colours other than YCbCr and grey, and for other subsamplings.
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

    /// Decodes into planes of ``ChromaSubsampling/layouts(of:)``; false for any fault.
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
        // What rounds the first plane up to whole samples of colour may be anything, and zimg's weights reach there.
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
