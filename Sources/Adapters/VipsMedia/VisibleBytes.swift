/// The bytes of a source without some of its ranges, which a reader does not see.
struct VisibleBytes {
    /// The number of visible bytes.
    let count: Int
    private let bytes: SourceBytes
    private let hidden: [Range<Int>]

    /// - Parameters:
    ///   - bytes: The source.
    ///   - hidden: The ranges to leave out: ascending, without overlaps.
    init(_ bytes: SourceBytes, without hidden: [Range<Int>]) {
        self.bytes = bytes
        self.hidden = hidden.map { $0.clamped(to: 0..<bytes.count) }
        count = bytes.count - self.hidden.reduce(0) { $0 + $1.count }
    }

    /// Fills memory with visible bytes from `offset`, at most up to the next hidden range.
    ///
    /// - Returns: How many bytes were read; 0 only at the end, or when the file cannot be read.
    func read(at offset: Int, into free: UnsafeMutableRawBufferPointer) -> Int {
        var place = offset
        var end = bytes.count
        for range in hidden {
            guard range.lowerBound <= place else {
                end = range.lowerBound
                break
            }
            place += range.count
        }
        let wanted = min(free.count, max(0, end - place))
        return bytes.read(at: place, into: UnsafeMutableRawBufferPointer(rebasing: free[..<wanted]))
    }
}
