import Domain
import Foundation
import NIOCore
import NIOPosix
import Support
import Testing

@testable import DiskBlobs

/// What others do to the folder: each derivative is whole or not there.
@Suite struct DerivativeDamageTests {
    private static let name = DerivativeName("source", "request")

    /// Stores a derivative, lets the body do something to its file, and gives a new store, which has nothing open.
    private func afterDamage(
        _ damage: (String) throws -> Void,
        _ body: (DiskDerivativeStore, String) async throws -> Void
    ) async throws {
        try await withStore { store, root in
            let bytes = ByteBuffer(repeating: 7, count: 5000)
            try await store.store(bytes, as: .png, under: DerivativeDamageTests.name)
            let path = try "\(root)/\(#require(files(in: root).first))"
            try damage(path)
            let next = try DiskDerivativeStore(folder: parent(root), bound: 4 << 20, pool: .singleton)
            await next.space.settled()
            try await body(next, path)
        }
    }

    @Test(
        "a file that was cut off is not there, and goes",
        arguments: [0, 1, 183, 184, 4816, 4999, 5000, 5001, 5183]
    )
    func cutOff(size: Int) async throws {
        let damage = { (path: String) in try #require(truncate(path, size) == 0) }
        try await afterDamage(damage) { store, path in
            let found = try await store.open(DerivativeDamageTests.name)
            #expect(found == nil)
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(store.space.used == 0)
        }
    }

    @Test(
        "a file with one byte of its trailer changed is not there",
        arguments: [0, 7, 8, 15, 16, 47, 48, 49, 175, 176, 183]
    )
    func changed(offset: Int) async throws {
        let change = { (path: String) in
            var bytes = try Data(contentsOf: URL(filePath: path))
            bytes[5000 + offset] ^= 1
            try bytes.write(to: URL(filePath: path))
        }
        try await afterDamage(change) { store, path in
            let found = try await store.open(DerivativeDamageTests.name)
            #expect(found == nil)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("a file with appended bytes, or of another program, counts as missing", arguments: [true, false])
    func foreign(keepsBytes: Bool) async throws {
        let change = { (path: String) in
            let bytes = keepsBytes ? try Data(contentsOf: URL(filePath: path)) : Data()
            try (bytes + Data(repeating: 0, count: 9000)).write(to: URL(filePath: path))
        }
        try await afterDamage(change) { store, path in
            let found = try await store.open(DerivativeDamageTests.name)
            #expect(found == nil)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("a file of version 1, whose trailer was shorter, is not there, and goes")
    func formerVersion() async throws {
        let rewrite = { (path: String) in
            let bytes = ByteBuffer(repeating: 7, count: 5000)
            var trailer = ByteBuffer(bytes: Array("lcderiv".utf8) + [1])
            trailer.writeInteger(Int64(5000))
            trailer.writeString(StoredDerivative.tag(of: bytes))
            trailer.writeInteger(UInt8(9))
            trailer.writeString("image/png")
            trailer.writeRepeatingByte(0, count: 120 - trailer.readableBytes)
            // A tag is the beginning of a SHA-256 as well.
            let checksum = try #require(UInt64(StoredDerivative.tag(of: trailer).prefix(16), radix: 16))
            trailer.writeInteger(checksum)
            try #require(trailer.readableBytes == 128)
            let data = Data(bytes.readableBytesView) + Data(trailer.readableBytesView)
            try data.write(to: URL(filePath: path))
        }
        try await afterDamage(rewrite) { store, path in
            let found = try await store.open(DerivativeDamageTests.name)
            #expect(found == nil)
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(store.space.used == 0)
        }
    }

    @Test("a link in the place of a file is not followed, and goes")
    func link() async throws {
        let change = { (path: String) in
            try FileManager.default.moveItem(atPath: path, toPath: "\(path).moved")
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(path).moved")
        }
        try await afterDamage(change) { store, path in
            let found = try await store.open(DerivativeDamageTests.name)
            #expect(found == nil)
            #expect(try files(in: parent(path)).map { $0.hasSuffix(".moved") } == [true])
        }
    }

    @Test("the folder may be deleted while the server runs: nothing is there, and what is stored then is")
    func deletedFolder() async throws {
        try await withStore { store, root in
            let kept = DerivativeName("source", "kept")
            try await store.store(ByteBuffer(string: "bytes"), as: .png, under: kept)
            try FileManager.default.removeItem(atPath: root)
            #expect(try await store.open(kept) == nil)
            try await store.remove(allOf: "source")
            try await store.store(ByteBuffer(string: "again"), as: .png, under: kept)
            let blob = try #require(try await store.open(kept)).blob
            #expect(try await blob.read(at: 0, count: 100) == ByteBuffer(string: "again"))
        }
    }

    @Test("a derivative whose folder was deleted stays readable for those who have it open")
    func deletedOpen() async throws {
        try await withStore { store, root in
            try await store.store(ByteBuffer(string: "bytes"), as: .png, under: DerivativeDamageTests.name)
            let open = try #require(try await store.open(DerivativeDamageTests.name))
            try FileManager.default.removeItem(atPath: root)
            #expect(try await open.blob.read(at: 0, count: 100) == ByteBuffer(string: "bytes"))
            try await store.remove(allOf: "source")
            #expect(try await store.open(DerivativeDamageTests.name) == nil)
        }
    }

    @Test("deleting the folder again and again lets every store succeed or fail, and leaves no staging")
    func deletedMeanwhile() async throws {
        try await withStore { store, root in
            let deleting = Task {
                while !Task.isCancelled {
                    try? FileManager.default.removeItem(atPath: root)
                    await Task.yield()
                }
            }
            for number in 0..<200 {
                let name = DerivativeName("source", "\(number)")
                try? await store.store(ByteBuffer(repeating: 1, count: 1000), as: .png, under: name)
                if let blob = try await store.open(name)?.blob { #expect(blob.size == 1000) }
            }
            deleting.cancel()
            await deleting.value
            try await store.store(ByteBuffer(string: "bytes"), as: .png, under: DerivativeDamageTests.name)
            #expect(try await store.open(DerivativeDamageTests.name)?.blob.size == 5)
            #expect(try files(in: root).allSatisfy { !$0.hasPrefix("staging-") })
        }
    }
}
