import Domain
import Foundation
import NIOCore
import NIOPosix
import Support
import Testing

@testable import DiskBlobs

/// How much is kept, and what goes first.
@Suite struct DerivativeSpaceTests {
    /// Bytes that take one block with their trailer.
    private let block = ByteBuffer(repeating: 1, count: 1000)

    private func name(_ number: Int) -> DerivativeName {
        DerivativeName("source \(number)", "request")
    }

    /// Says that a derivative was last used some seconds ago.
    private func age(_ number: Int, by seconds: Int, in root: String) throws {
        try setTime(of: number, to: time(nil) - seconds, in: root)
    }

    private func setTime(of number: Int, to seconds: Int, in root: String) throws {
        let path = DerivativeLayout(folder: parent(root)).path(of: name(number))
        var times = [timespec](repeating: timespec(tv_sec: seconds, tv_nsec: 0), count: 2)
        try #require(utimensat(AT_FDCWD, path, &times, 0) == 0)
    }

    /// What all files take; also while some of them go.
    private func blocks(in root: String) throws -> Int {
        let paths = try #require(FileManager.default.enumerator(atPath: root))
        var count = 0
        for case let path as String in paths {
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(root)/\(path)")
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { continue }
            count += ((attributes?[.size] as? Int ?? 0) + 4095) / 4096
        }
        return count
    }

    @Test("the bound holds after many were stored, and is used")
    func bound() async throws {
        try await withStore(bound: 40 * 4096) { store, root in
            for number in 0..<200 {
                try await store.store(block, as: .png, under: name(number))
                #expect(try blocks(in: root) <= 45)
            }
            await store.space.settled()
            #expect(try (30...40).contains(blocks(in: root)))
            try await store.store(block, as: .png, under: name(200))
            #expect(try await store.open(name(200)) != nil)
        }
    }

    @Test("the bound holds when many are stored at once")
    func concurrent() async throws {
        try await withStore(bound: 40 * 4096) { store, root in
            try await withThrowingTaskGroup { group in
                for number in 0..<500 {
                    group.addTask { try await store.store(block, as: .png, under: name(number)) }
                }
                try await group.waitForAll()
            }
            await store.space.settled()
            #expect(try blocks(in: root) <= 40)
        }
    }

    @Test("those not used for longest go first, down to nine tenths")
    func order() async throws {
        try await withStore(bound: 20 * 4096) { store, root in
            for number in 0..<20 { try await store.store(block, as: .png, under: name(number)) }
            // In an order that is none of names or of storing.
            for number in 0..<20 { try age(number, by: 60 * (1 + number * 7 % 20), in: root) }
            try await store.store(block, as: .png, under: name(20))
            await store.space.settled()
            let next = try DiskDerivativeStore(folder: parent(root), bound: 20 * 4096, pool: .singleton)
            for number in 0..<20 {
                let isOld = number * 7 % 20 >= 17
                #expect(try await (next.open(name(number)) == nil) == isOld, "\(number)")
            }
            #expect(try await next.open(name(20)) != nil)
        }
    }

    @Test("of those equally old as many go as must")
    func equals() async throws {
        try await withStore(bound: 20 * 4096) { store, root in
            for number in 0..<20 { try await store.store(block, as: .png, under: name(number)) }
            for number in 0..<20 { try age(number, by: 1_000_000, in: root) }
            try await store.store(block, as: .png, under: name(20))
            await store.space.settled()
            #expect(try blocks(in: root) == 18)
            #expect(try await store.open(name(20)) != nil)
        }
    }

    @Test("a use is noted in the file's times, but not again within an hour", arguments: [(3700, true), (3500, false)])
    func use(seconds: Int, isNoted: Bool) async throws {
        try await withStore { store, root in
            try await store.store(block, as: .png, under: name(0))
            try age(0, by: seconds, in: root)
            _ = try await store.open(name(0))
            let path = try "\(root)/\(#require(files(in: root).first))"
            let time = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            let isNow = try abs(#require(time).timeIntervalSinceNow) < 600
            #expect(isNow == isNoted)
        }
    }

    @Test("a bound of nothing keeps nothing, and what was kept before goes")
    func nothing() async throws {
        try await withStore { store, root in
            try await store.store(block, as: .png, under: name(0))
            let none = try DiskDerivativeStore(folder: parent(root), bound: 0, pool: .singleton)
            try await none.store(block, as: .png, under: name(1))
            #expect(try await none.open(name(0)) == nil)
            #expect(try await none.open(name(1)) == nil)
            await none.space.settled()
            #expect(try files(in: root) == [])
        }
    }

    @Test("a smaller bound than before holds from the start")
    func smaller() async throws {
        try await withStore { store, root in
            for number in 0..<50 { try await store.store(block, as: .png, under: name(number)) }
            let next = try DiskDerivativeStore(folder: parent(root), bound: 20 * 4096, pool: .singleton)
            await next.space.settled()
            #expect(try blocks(in: root) == 18)
        }
    }

    @Test("what is larger than the bound is not kept, nor the former one under its name")
    func tooLarge() async throws {
        try await withStore(bound: 4 * 4096) { store, root in
            try await store.store(block, as: .png, under: name(0))
            try await store.store(ByteBuffer(repeating: 1, count: 4 * 4096 - 183), as: .png, under: name(0))
            #expect(try await store.open(name(0)) == nil)
            #expect(try files(in: root) == [])
            try await store.store(ByteBuffer(repeating: 1, count: 4 * 4096 - 184), as: .png, under: name(0))
            #expect(try await store.open(name(0)) != nil)
        }
    }

    @Test("impossible times of use do no harm", arguments: [Int.min / 2, -1, 1 << 40, .max])
    func impossibleTimes(seconds: Int) async throws {
        try await withStore(bound: 4 * 4096) { store, root in
            for number in 0..<4 { try await store.store(block, as: .png, under: name(number)) }
            for number in 0..<4 { try setTime(of: number, to: seconds, in: root) }
            try await store.store(block, as: .png, under: name(4))
            await store.space.settled()
            #expect(try blocks(in: root) == 3)
            let next = try DiskDerivativeStore(folder: parent(root), bound: 4 * 4096, pool: .singleton)
            var found = 0
            for number in 0..<5 where try await next.open(name(number)) != nil { found += 1 }
            #expect(found == 3)
        }
    }

    @Test("more derivatives than are kept open are all there")
    func many() async throws {
        try await withStore { store, _ in
            for number in 0..<300 {
                try await store.store(ByteBuffer(string: "\(number)"), as: .png, under: name(number))
            }
            for number in (0..<300).flatMap({ [$0, $0 / 2, 0] }) {
                let blob = try #require(try await store.open(name(number))).blob
                #expect(try await blob.read(at: 0, count: 10) == ByteBuffer(string: "\(number)"))
            }
        }
    }
}
