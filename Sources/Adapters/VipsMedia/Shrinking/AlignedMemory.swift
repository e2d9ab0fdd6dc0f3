internal import Glibc

/// Uninitialized memory that is aligned for vector instructions.
struct AlignedMemory: ~Copyable {
    let bytes: UnsafeMutableRawBufferPointer

    /// The alignment of addresses and strides: 64 bytes for zimg's widest vectors.
    static let alignment = 64

    /// Allocates the memory; `nil` if that fails.
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
