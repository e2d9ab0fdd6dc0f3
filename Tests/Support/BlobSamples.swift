package import Domain
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
        ByteBuffer(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    }
}
