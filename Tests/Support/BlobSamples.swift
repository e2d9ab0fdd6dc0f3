package import Domain
internal import Glibc
package import NIOCore

extension StagingArea {
    /// Stages and finishes bytes, for one request or under a name.
    package func stage(_ bytes: ByteBuffer, as name: ObjectID? = nil) async throws -> any StagedBlob {
        let staged = if let name { try await stage(as: name) } else { try await stage() }
        let writer = staged.write(at: 0, digesting: [])
        try await writer.append(bytes)
        _ = try await writer.finish()
        return staged
    }
}

extension FileKey {
    /// A key that no other file has.
    static func random() throws -> FileKey {
        try .make(for: FileName("photo.jpg", limit: 255), prefix: nil, keepingName: false)
    }
}

extension ByteBuffer {
    /// Bytes in which no two adjacent kilobytes are equal.
    static func pattern(_ count: Int) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
            // A range would take ten times as long without optimisation.
            var index = 0
            while index < count {
                bytes[index] = UInt8(truncatingIfNeeded: index &* 31 &+ index >> 8)
                index += 1
            }
            return count
        }
        return buffer
    }
}

extension [UInt8] {
    /// Whether the first 64 bytes of others, or all if they are fewer, are among these.
    ///
    /// The search of the standard library takes a second for some megabytes without optimisation.
    package func hasBeginning(of others: ByteBuffer) -> Bool {
        let beginning = Array(others.readableBytesView.prefix(64))
        guard let first = beginning.first else { return true }
        return withUnsafeBytes { bytes in
            var rest = bytes[...]
            while rest.count >= beginning.count, let found = Self.find(first, in: rest) {
                rest = rest.dropFirst(found)
                if rest.prefix(beginning.count).elementsEqual(beginning) { return true }
                rest = rest.dropFirst()
            }
            return false
        }
    }

    private static func find(_ byte: UInt8, in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes)
        guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else { return nil }
        return UnsafeRawPointer(found) - start
    }
}
