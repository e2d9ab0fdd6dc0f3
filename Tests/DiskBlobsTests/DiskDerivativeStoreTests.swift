import Domain
import Foundation
import NIOCore
import NIOPosix
import Support
import Testing

@testable import DiskBlobs

@Suite struct DiskDerivativeStoreTests {
    @Test("derivatives on the disk keep the contract", arguments: DerivativeStoreContract.rules)
    func contract(rule: ContractRule<any DerivativeStore>) async throws {
        try await withStore { store, _ in try await rule.check(store) }
    }

    @Test("a derivative lies in its source's folder, readable by its owner only")
    func layout() async throws {
        try await withStore { store, root in
            try await store.store(ByteBuffer(string: "bytes"), as: .png, under: DerivativeName("abc", "abc"))
            let folder = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            let name = "ba7816bf8f01cfea414140de5dae2223"
            #expect(try files(in: root) == ["ba/\(folder)/\(name)"])
            for (path, mode) in [("", 0o700), ("/ba/\(folder)", 0o700), ("/ba/\(folder)/\(name)", 0o600)] {
                let attributes = try FileManager.default.attributesOfItem(atPath: root + path)
                #expect(attributes[.posixPermissions] as? Int == mode)
            }
        }
    }

    @Test("what is stored is there for the next server, which counts it")
    func restart() async throws {
        try await withStore { store, root in
            let name = DerivativeName("source", "request")
            try await store.store(ByteBuffer(repeating: 1, count: 10_000), as: .avif, under: name)
            try await store.store(ByteBuffer(), as: .png, under: DerivativeName("other", "request"))
            let tag = try #require(try await store.open(name)).tag
            let next = try DiskDerivativeStore(folder: parent(root), bound: 1 << 20, pool: .singleton)
            await next.space.settled()
            #expect(next.space.used == 3 * 4096 + 4096)
            let derivative = try #require(try await next.open(name))
            #expect(derivative.tag == tag)
            #expect(derivative.mediaType == .avif)
            #expect(derivative.blob.size == 10_000)
        }
    }

    @Test("what is taken is counted down again by a removal and by storing over")
    func counting() async throws {
        try await withStore { store, root in
            for size in [10_000, 20_000, 100] {
                let bytes = ByteBuffer(repeating: 1, count: size)
                try await store.store(bytes, as: .png, under: DerivativeName("source", "request"))
                #expect(store.space.used == Int64((size + 184 + 4095) / 4096 * 4096))
            }
            try await store.remove(allOf: "source")
            #expect(store.space.used == 0)
            #expect(try FileManager.default.subpathsOfDirectory(atPath: root).count == 1, "the shelf alone")
        }
    }

    @Test("32 stored at once under one name leave one file and no staging")
    func concurrent() async throws {
        try await withStore { store, root in
            try await withThrowingTaskGroup { group in
                for number in 0..<32 {
                    group.addTask {
                        let bytes = ByteBuffer(repeating: UInt8(number), count: 1000)
                        try await store.store(bytes, as: .png, under: DerivativeName("source", "request"))
                    }
                }
                try await group.waitForAll()
            }
            #expect(try files(in: root).count == 1)
        }
    }

    @Test("what a dead server was about to write is removed at the start, other files are left alone")
    func leftovers() async throws {
        try await withStore { _, root in
            for name in ["staging-0123", "staging-4567", "README"] {
                try Data("bytes".utf8).write(to: URL(filePath: "\(root)/\(name)"))
            }
            let next = try DiskDerivativeStore(folder: parent(root), bound: 1 << 20, pool: .singleton)
            await next.space.settled()
            #expect(try files(in: root) == ["README"])
        }
    }

    @Test("a store that fails leaves nothing behind and throws")
    func failure() async throws {
        try await withStore { store, root in
            let name = DerivativeName("source", "request")
            // A folder in the file's place cannot be written over.
            let path = DerivativeLayout(folder: parent(root)).path(of: name)
            try FileManager.default.createDirectory(atPath: "\(path)/full", withIntermediateDirectories: true)
            await #expect(throws: ServiceError.self) {
                try await store.store(ByteBuffer(string: "bytes"), as: .png, under: name)
            }
            #expect(try files(in: root) == [])
            #expect(store.space.used == 0)
        }
    }

    @Test("a derivative of any media type is kept, up to the longest", arguments: [71, 72, 73, 127])
    func mediaType(length: Int) async throws {
        try await withStore { store, root in
            let name = DerivativeName("source", "request")
            let type = try #require(MediaType("image/" + String(repeating: "x", count: length - 6)))
            try await store.store(ByteBuffer(string: "bytes"), as: type, under: name)
            #expect(try await store.open(name)?.mediaType == type)
            #expect(try files(in: root).count == 1)
        }
    }

    @Test("there is no media type that is longer than a trailer has room for")
    func longestMediaType() {
        #expect(MediaType("image/" + String(repeating: "x", count: 122)) == nil)
    }

    @Test("who leaves during a removal does not stop it")
    func cancelledRemoval() async throws {
        try await withStore { store, root in
            try await store.store(ByteBuffer(string: "bytes"), as: .png, under: DerivativeName("source", "request"))
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await store.remove(allOf: "source")
            }
            try await task.value
            #expect(try files(in: root) == [])
        }
    }

    @Test("what was being opened during a removal is not there after it")
    func openingDuringRemoval() async throws {
        try await withStore { store, _ in
            let name = DerivativeName("source", "request")
            for _ in 0..<50 {
                try await store.store(ByteBuffer(string: "bytes"), as: .png, under: name)
                try await withThrowingTaskGroup { group in
                    for _ in 0..<4 { group.addTask { _ = try await store.open(name) } }
                    group.addTask { try await store.remove(allOf: "source") }
                    try await group.waitForAll()
                }
                #expect(try await store.open(name) == nil)
            }
        }
    }

    @Test("what was being opened while it was stored again is the new one after it")
    func openingDuringStoring() async throws {
        try await withStore { store, _ in
            let name = DerivativeName("source", "request")
            for number in 0..<50 {
                try await withThrowingTaskGroup { group in
                    for _ in 0..<4 { group.addTask { _ = try await store.open(name) } }
                    group.addTask { try await store.store(ByteBuffer(string: "\(number)"), as: .png, under: name) }
                    try await group.waitForAll()
                }
                let blob = try #require(try await store.open(name)).blob
                #expect(try await blob.read(at: 0, count: 10) == ByteBuffer(string: "\(number)"))
            }
        }
    }
}
