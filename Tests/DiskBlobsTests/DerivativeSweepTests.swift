import Domain
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import DiskBlobs

/// What a sweep counts and closes, and when the next one begins.
@Suite struct DerivativeSweepTests {
    private let block: Int64 = 4096

    @Test("what was freed is counted although one file could not be removed, and all others go")
    func failing() async throws {
        try await withStore { store, root in
            // Told apart by what they take: one, two and three blocks.
            for blocks in 1...3 {
                let bytes = ByteBuffer(repeating: 1, count: blocks * 4096 - 1000)
                try await store.store(bytes, as: .png, under: DerivativeName("source", "\(blocks)"))
            }
            let layout = DerivativeLayout(folder: parent(root))
            let first = try #require(files(in: root).first)
            var seen = 0
            var left: Int64 = 0
            let freed = layout.sweep("\(root)/\(first.prefix(2))") { file in
                seen += 1
                if seen == 2 {
                    left = file.footprint
                    // A folder in its place cannot be removed like a file, not even by root.
                    let path = layout.path(of: DerivativeName("source", "\(left / block)"))
                    try? FileManager.default.removeItem(atPath: path)
                    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                }
                return false
            }
            #expect(seen == 3)
            #expect(left > 0)
            #expect(freed == 6 * block - left)
            #expect(try files(in: root) == [])
        }
    }

    @Test("what a sweep removed is not kept open, and what it left is")
    func evicted() async throws {
        try await withStore(bound: 20 * block) { store, root in
            let bytes = ByteBuffer(repeating: 1, count: 1000)
            let names = (0..<20).map { DerivativeName("source", "\($0)") }
            for name in names {
                try await store.store(bytes, as: .png, under: name)
                _ = try await store.open(name)
            }
            let layout = DerivativeLayout(folder: parent(root))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_000_000)],
                ofItemAtPath: layout.path(of: names[0])
            )
            try await store.store(bytes, as: .png, under: DerivativeName("source", "one too many"))
            await store.space.settled()
            let left = names.filter { FileManager.default.fileExists(atPath: layout.path(of: $0)) }
            #expect((17...18).contains(left.count))
            #expect(!left.contains(names[0]))
            #expect(names.filter { store.opened.find($0) != nil } == left)
            #expect(try await store.open(names[0]) == nil)
        }
    }

    /// Runs the body with space of which more is used than its bound, and of which a sweep has just freed nothing.
    ///
    /// It is promised, so no sweep can free it. What ``store(in:)`` adds is in no file, so each sweep forgets it again.
    private func withStuckSpace(_ body: (DerivativeSpace) async throws -> Void) async throws {
        try await withStore { _, root in
            let space = DerivativeSpace(
                bound: 80 * block,
                layout: DerivativeLayout(folder: parent(root)),
                opened: OpenDerivatives(bound: 1),
                pool: .singleton
            )
            for _ in 0..<2 { #expect(space.reserve(60 * block)) }
            await store(in: space)
            #expect(space.used == 120 * block)
            try await body(space)
        }
    }

    private func store(in space: DerivativeSpace) async {
        #expect(space.reserve(block))
        space.record(block, replacing: 0)
        await space.settled()
    }

    @Test("after a sweep that freed nothing, the next begins when an eighth of the bound has come")
    func stuck() async throws {
        try await withStuckSpace { space in
            for count in Int64(1)...9 {
                await store(in: space)
                #expect(space.used == (120 + count) * block)
            }
            await store(in: space)
            #expect(space.used == 120 * block)
        }
    }

    @Test("after a sweep that freed nothing, the next begins at once if all has fitted meanwhile")
    func stuckNoMore() async throws {
        try await withStuckSpace { space in
            space.free(40 * block)
            #expect(space.used == 80 * block)
            await store(in: space)
            #expect(space.used == 120 * block)
        }
    }
}
