internal import Domain

/// Aligned byte planes in one allocation.
struct Planes: ~Copyable {
    let layouts: [Layout]
    private let memory: AlignedMemory

    /// Allocates the planes; `nil` if that fails.
    init?(_ layouts: [Layout]) {
        guard let memory = AlignedMemory(count: Planes.memoryEstimate(layouts)) else { return nil }
        self.memory = memory
        self.layouts = layouts
    }

    /// The address of a plane; `nil` if it does not exist.
    func start(_ index: Int) -> UnsafeMutablePointer<UInt8>? {
        guard layouts.indices.contains(index) else { return nil }
        let offset = Planes.memoryEstimate(Array(layouts[..<index]))
        return memory.bytes.baseAddress.map { ($0 + offset).assumingMemoryBound(to: UInt8.self) }
    }

    /// Repeats the last column and row of an image up to the end of the first plane.
    func extendFirst(from size: ImageSize) {
        guard let start = start(0), let layout = layouts.first, size.width > 0, size.height > 0 else { return }
        if size.width < layout.width {
            for row in 0..<min(size.height, layout.rows) {
                let end = start + row * layout.stride + size.width
                end.update(repeating: end[-1], count: layout.width - size.width)
            }
        }
        guard size.height < layout.rows else { return }
        let last = start + (size.height - 1) * layout.stride
        for row in size.height..<layout.rows {
            (start + row * layout.stride).update(from: last, count: layout.width)
        }
    }

    /// The size of planes in bytes.
    static func memoryEstimate(_ layouts: [Layout]) -> Int {
        layouts.reduce(0) { $0 + $1.stride * $1.rows }
    }

    /// The layout of a plane.
    struct Layout: Sendable, Hashable {
        let width: Int
        let rows: Int

        /// The bytes from one row to the next.
        var stride: Int { AlignedMemory.aligned(width) }
    }
}
