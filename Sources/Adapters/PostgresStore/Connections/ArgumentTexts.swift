extension [[UInt8]?] {
    /// Runs a body with the values as C strings.
    func withTexts<Result>(_ body: ([UnsafePointer<CChar>?]) throws -> Result) rethrows -> Result {
        var bytes: [CChar] = []
        bytes.reserveCapacity(reduce(0) { $0 + ($1?.count ?? 0) + 1 })
        var offsets: [Int?] = []
        for value in self {
            offsets.append(value == nil ? nil : bytes.count)
            guard let value else { continue }
            bytes.append(contentsOf: value.lazy.map { CChar(bitPattern: $0) })
            bytes.append(0)
        }
        return try bytes.withUnsafeBufferPointer { buffer in
            try body(offsets.map { offset in offset.flatMap { buffer.baseAddress?.advanced(by: $0) } })
        }
    }
}
