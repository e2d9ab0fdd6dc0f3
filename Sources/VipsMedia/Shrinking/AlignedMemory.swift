internal import Glibc

/// Memory that begins where vector instructions can read it; what is in it is anything.
struct AlignedMemory: ~Copyable {
    let bytes: UnsafeMutableRawBufferPointer

    /// What addresses and strides are multiples of: 32 on x86, less elsewhere, by zimg's documentation.
    static let alignment = 64

    /// Nothing if there is no memory.
    init?(count: Int) {
        var start: UnsafeMutableRawPointer?
        guard count > 0, posix_memalign(&start, AlignedMemory.alignment, count) == 0, let start else { return nil }
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

/// Some planes of bytes, one behind the other, all of them aligned.
struct Planes: ~Copyable {
    let layouts: [Layout]
    private let memory: AlignedMemory

    /// Nothing if there is no memory.
    init?(_ layouts: [Layout]) {
        guard let memory = AlignedMemory(count: Planes.price(layouts)) else { return nil }
        self.memory = memory
        self.layouts = layouts
    }

    /// Where a plane begins; nothing if there is no such plane.
    func start(_ index: Int) -> UnsafeMutablePointer<UInt8>? {
        guard layouts.indices.contains(index) else { return nil }
        let offset = Planes.price(Array(layouts[..<index]))
        return memory.bytes.baseAddress.map { ($0 + offset).assumingMemoryBound(to: UInt8.self) }
    }

    /// The bytes that planes take.
    static func price(_ layouts: [Layout]) -> Int {
        layouts.reduce(0) { $0 + $1.stride * $1.rows }
    }

    /// How a plane lies.
    struct Layout: Sendable, Hashable {
        let width: Int
        let rows: Int

        /// The bytes from one row to the next.
        var stride: Int { AlignedMemory.aligned(width) }
    }
}
