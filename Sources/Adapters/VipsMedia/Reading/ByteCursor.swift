/// Reads numbers from untrusted bytes: a read beyond the end returns `nil` and never traps.
struct ByteCursor {
    let bytes: UnsafeRawBufferPointer
    /// The offset at which ``next()`` reads; can be beyond the end.
    var position: Int

    init(_ bytes: UnsafeRawBufferPointer, at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    var count: Int { bytes.count }

    func byte(at offset: Int) -> UInt8? {
        bytes.indices.contains(offset) ? bytes[offset] : nil
    }

    func little16(at offset: Int) -> UInt16? {
        number(at: offset).map(UInt16.init(littleEndian:))
    }

    func little32(at offset: Int) -> UInt32? {
        number(at: offset).map(UInt32.init(littleEndian:))
    }

    func big32(at offset: Int) -> UInt32? {
        number(at: offset).map(UInt32.init(bigEndian:))
    }

    /// Whether all of these bytes are at the offset.
    func holds(_ expected: some Collection<UInt8>, at offset: Int = 0) -> Bool {
        guard offset >= 0, offset <= count, expected.count <= count - offset else { return false }
        return bytes[offset...].starts(with: expected)
    }

    /// Reads the byte at the position and advances.
    mutating func next() -> UInt8? {
        guard let byte = byte(at: position) else { return nil }
        position += 1
        return byte
    }

    private func number<Number: FixedWidthInteger>(at offset: Int) -> Number? {
        let size = MemoryLayout<Number>.size
        guard offset >= 0, size <= count, offset <= count - size else { return nil }
        return bytes.loadUnaligned(fromByteOffset: offset, as: Number.self)
    }
}
