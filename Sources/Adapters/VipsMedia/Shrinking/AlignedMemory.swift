internal import Glibc

/// Memory that begins where vector instructions can read it; what is in it is anything.
struct AlignedMemory: ~Copyable {
    let bytes: UnsafeMutableRawBufferPointer

    /// What addresses and strides are multiples of: 64 for zimg's widest vectors; it asks for less where it takes none.
    static let alignment = 64

    /// `nil` if there is no memory.
    init?(count: Int) {
        var start: UnsafeMutableRawPointer?
        guard count >= 0, posix_memalign(&start, AlignedMemory.alignment, max(1, count)) == 0, let start else {
            return nil
        }
        bytes = UnsafeMutableRawBufferPointer(start: start, count: count)
    }

    deinit {
        free(bytes.baseAddress)
    }

    /// The next multiple of ``alignment``, for a row or a plane; numbers are far below an overflow.
    static func aligned(_ count: Int) -> Int {
        (count + alignment - 1) / alignment * alignment
    }
}
