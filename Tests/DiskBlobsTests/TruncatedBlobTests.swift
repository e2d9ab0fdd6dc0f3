import Domain
import Foundation
import NIOCore
import NIOPosix
import Support
import Testing

@testable import DiskBlobs

/// Files that lose their end while the server has them open.
@Suite struct TruncatedBlobTests {
    @Test("a read beyond the end of a blob that was cut off says so, and the blob is damaged from then on")
    func blob() async throws {
        try await Samples.withFolder { folder in
            let storage = try BlobStorage(onDisk: folder)
            let key = try #require(FileKey("abc"))
            _ = try await storage.store("0123456789", as: key)
            let blob = try #require(try await storage.blobs.open(key))
            let name = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            let path = "\(folder)/blobs/ba/\(name)"
            #expect(truncate(path, 4) == 0)
            #expect(try await blob.read(at: 0, count: 4).readableBytes == 4)
            #expect(!blob.isDamaged)
            let error = await #expect(throws: ServiceError.self) { try await blob.read(at: 2, count: 4) }
            #expect(error?.code == .internalFailure)
            #expect(error?.cause is UnreadableBlob)
            #expect(blob.isDamaged)
            #expect(try await blob.read(at: 10, count: 4).readableBytes == 0)
        }
    }

    @Test("a derivative that was found damaged while it was open is not there any more")
    func derivative() async throws {
        try await withStore { store, root in
            let name = DerivativeName("source", "request")
            try await store.store(ByteBuffer(repeating: 7, count: 5000), as: .png, under: name)
            let derivative = try #require(try await store.open(name))
            let file = try #require(files(in: root).first)
            let path = "\(root)/\(file)"
            #expect(truncate(path, 100) == 0)
            await #expect(throws: ServiceError.self) { try await derivative.blob.read(at: 0, count: 200) }
            #expect(derivative.blob.isDamaged)
            let found = try await store.open(name)
            #expect(found == nil)
        }
    }
}
