internal import Domain
internal import NIOCore
internal import NIOPosix
internal import S3

/// Open staged bytes in a bucket, which stay there until it is released.
final class S3StagedReader: OpenBlob {
    private let blob: S3StagedBlob
    private let map: SegmentMap

    var size: Int64 { map.extent }
    var local: LocalBytes? { nil }

    init(_ blob: S3StagedBlob, _ map: SegmentMap) {
        self.blob = blob
        self.map = map
        blob.area.unsettledFolders.beginReading(blob.folder)
    }

    deinit {
        let (area, folder) = (blob.area, blob.folder)
        if let removal = area.unsettledFolders.endReading(folder) { area.remove(removal, from: folder) }
    }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        do {
            return try await blob.read(at: offset, count: count, of: map)
        } catch let error as ServiceError where error.isMissingObject {
            // Another server can have joined segments, whose bytes stay the same.
            return try await blob.read(at: offset, count: Int(min(Int64(count), size - offset)))
        }
    }
}

/// Open staged bytes in memory.
struct HeldBytes: OpenBlob {
    private let bytes: ByteBuffer

    var size: Int64 { Int64(bytes.readableBytes) }
    var local: LocalBytes? { .memory(bytes) }

    init(_ bytes: ByteBuffer) {
        self.bytes = bytes
    }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        bytes.part(at: offset, count: count)
    }
}

extension S3StagedBlob {
    /// Up to `count` bytes of a map; fewer only at its end.
    ///
    /// - Throws: ``ServiceError/Code/storageFailing`` if bytes are missing in between: no server acknowledges bytes
    ///   behind a gap.
    func read(at offset: Int64, count: Int, of map: SegmentMap) async throws -> ByteBuffer {
        let end = min(map.extent, offset + Int64(count))
        guard offset < end else { return ByteBuffer() }
        guard map.covers(offset..<end) else {
            throw StorageFault.failing.error(cause: StagedBytesMissing(offset..<end))
        }
        let pieces = map.pieces(in: offset..<end)
        let prefix = area.names.segments(in: folder)
        return try await area.bucket.run { client in
            var bytes = ByteBuffer()
            bytes.reserveCapacity(Int(end - offset))
            for piece in pieces {
                try piece.segment.read(piece.objectRange, in: prefix, from: client) { bytes.writeBytes($0) }
            }
            return bytes
        }
    }
}

extension StagedSegment {
    /// The object in a folder.
    func object(in prefix: String) -> S3Object {
        S3Object(key: prefix + name, size: objectSize, tag: tag)
    }

    /// Passes bytes of the segment to a closure, after each frame of an encrypted one is authenticated; blocks.
    ///
    /// - Throws: `S3Error`; ``ServiceError/unreadable(_:)`` if the bytes are not those that were encrypted.
    func read(
        _ range: Range<Int64>,
        in prefix: String,
        from client: S3Client,
        _ take: @escaping (UnsafeRawBufferPointer) throws(S3Error) -> Void
    ) throws {
        let object = object(in: prefix)
        guard let sealed else {
            try client.read(range, of: object, take)
            return
        }
        let reader = FrameReader(range, of: sealed, take)
        do {
            try client.read(reader.sealedRange, of: object) { bytes throws(S3Error) in try reader.receive(bytes) }
        } catch {
            guard let failure = reader.failure else { throw error }
            throw ServiceError.unreadable(UnreadableBlob("the staged bytes '\(object.key)' cannot be used: \(failure)"))
        }
    }
}

/// The error for a range of staged bytes that no segment has.
struct StagedBytesMissing: Error, CustomStringConvertible {
    let description: String

    init(_ range: Range<Int64>) {
        description = "staged bytes from \(range.lowerBound) to \(range.upperBound) are not all in the bucket"
    }
}
