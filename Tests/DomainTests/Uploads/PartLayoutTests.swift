import Support
import Testing

@testable import Domain

@Suite struct PartLayoutTests {
    private let megabyte: Int64 = 1 << 20

    /// Reserves a range for a part and records that all of it was received.
    private func take(_ number: Int, _ size: Int64, into layout: inout PartLayout) throws -> Int64 {
        let offset = try layout.reserve(number, size: size, limit: 1 << 50)
        layout.record(number, PartLayout.Part(offset: offset, size: size, tag: "\(number)"))
        return offset
    }

    @Test(
        "parts of one size lie where their numbers say, whatever their order",
        arguments: [[1, 2, 3], [3, 2, 1], [2, 3, 1]]
    )
    func contiguous(order: [Int]) throws {
        var layout = PartLayout()
        for number in order {
            let offset = try take(number, 10, into: &layout)
            #expect(offset == Int64(number - 1) * 10)
        }
        #expect(layout.pieces(of: [1, 2, 3])?.areContiguous == true)
        #expect(layout.received == 30)
    }

    @Test("a shorter last part lies behind the others")
    func shortLast() throws {
        var layout = PartLayout()
        for (number, size) in [(1, 10), (3, 4), (2, 10)] as [(Int, Int64)] {
            _ = try take(number, size, into: &layout)
        }
        #expect(layout.pieces(of: [1, 2, 3])?.areContiguous == true)
    }

    @Test("where the shorter last part came first, the others stray behind all, each at a block of its own")
    func shortFirst() throws {
        var layout = PartLayout()
        var offsets: [Int64] = []
        for (number, size) in [(3, 4), (1, 10), (2, 10)] as [(Int, Int64)] {
            offsets.append(try take(number, size, into: &layout))
        }
        #expect(offsets == [8, 4 * megabyte, 8 * megabyte])
        #expect(layout.pieces(of: [1, 2, 3])?.areContiguous == false)
    }

    @Test("a part does not go where a strayed one lies, though its number says so")
    func beyondStrayed() throws {
        var layout = PartLayout()
        var offsets: [Int64] = []
        for (number, size) in [(1, 4), (2, 8), (3, 4)] as [(Int, Int64)] {
            offsets.append(try take(number, size * megabyte, into: &layout))
        }
        #expect(offsets == [0, 4 * megabyte, 12 * megabyte])
    }

    @Test("a promise keeps others away before any byte came")
    func promised() throws {
        var layout = PartLayout()
        _ = try layout.reserve(1, size: 4 * megabyte, limit: 1 << 50)
        let second = try layout.reserve(2, size: 8 * megabyte, limit: 1 << 50)
        let third = try layout.reserve(3, size: 4 * megabyte, limit: 1 << 50)
        #expect(second == 4 * megabyte)
        #expect(third == 12 * megabyte)
    }

    @Test("a part that is sent again lies behind all until it is whole, and counts once")
    func replaced() throws {
        var layout = PartLayout()
        for number in 1...3 { _ = try take(number, 10, into: &layout) }
        let offset = try layout.reserve(2, size: 7, limit: 1 << 50)
        #expect(offset == 4 * megabyte)
        #expect(layout.pieces(of: [2]) == [PartLayout.Piece(offset: 10, size: 10)])
        layout.record(2, PartLayout.Part(offset: offset, size: 7, tag: ""))
        #expect(layout.pieces(of: [2]) == [PartLayout.Piece(offset: offset, size: 7)])
        #expect(layout.received == 27)
    }

    @Test("a part of which nothing came that counts lies where its number says, however often it is sent")
    func attempts() throws {
        var layout = PartLayout()
        _ = try take(1, 10, into: &layout)
        for size in [10, 7, 10] as [Int64] {
            let offset = try layout.reserve(2, size: size, limit: 30)
            #expect(offset == 10)
        }
    }

    @Test("a part that is not there makes a list none")
    func missing() throws {
        var layout = PartLayout()
        for number in 1...2 { _ = try take(number, 10, into: &layout) }
        #expect(layout.pieces(of: [1, 3]) == nil)
    }

    @Test(
        "a layout that is taken back gives every next part the offset that it had before",
        arguments: [[(1, 10), (2, 10)], [(3, 4), (1, 10), (2, 10)], [(2, 10), (9, 10), (4, 11)]] as [[(Int, Int64)]]
    )
    func restored(parts: [(Int, Int64)]) throws {
        var before = PartLayout()
        for (number, size) in parts { _ = try take(number, size, into: &before) }
        let unit = try #require(before.unit)
        var after = PartLayout()
        for (number, part) in before.parts.sorted(by: { $0.key > $1.key }) { after.restore(number, part, unit: unit) }
        #expect(after.parts == before.parts)
        #expect(after.received == before.received)
        for (number, size) in [(1, 10), (2, 11), (5, 10), (6, 1)] as [(Int, Int64)] {
            let expected = try take(number, size, into: &before)
            let offset = try take(number, size, into: &after)
            #expect(offset == expected, "part \(number)")
        }
    }

    @Test("a part longer than the first keeps its range when it is restored, also where its number says")
    func restoredLong() throws {
        var layout = PartLayout()
        layout.restore(1, PartLayout.Part(offset: 0, size: 4 * megabyte, tag: ""), unit: 4 * megabyte)
        layout.restore(2, PartLayout.Part(offset: 4 * megabyte, size: 8 * megabyte, tag: ""), unit: 4 * megabyte)
        let offset = try take(3, 4 * megabyte, into: &layout)
        #expect(offset == 12 * megabyte)
    }

    @Test("no part reaches beyond the limit", arguments: [(1, 31), (4, 10), (3, 11), (1 << 40, 10)] as [(Int, Int64)])
    func limit(number: Int, size: Int64) throws {
        var layout = PartLayout()
        _ = try layout.reserve(1, size: 10, limit: 30)
        let error = #expect(throws: ServiceError.self) { try layout.reserve(number, size: size, limit: 30) }
        #expect(error?.code == .payloadTooLarge)
    }

    @Test("a part may reach up to the limit")
    func upToLimit() throws {
        var layout = PartLayout()
        _ = try layout.reserve(1, size: 10, limit: 30)
        let offset = try layout.reserve(3, size: 10, limit: 30)
        #expect(offset == 20)
    }

    @Test("a number too large to calculate with strays", arguments: [Int.max, 1 << 61, 1 << 40])
    func huge(number: Int) throws {
        var layout = PartLayout()
        let first = try layout.reserve(number, size: 1 << 30, limit: 1 << 42)
        let second = try layout.reserve(1, size: 1 << 30, limit: 1 << 42)
        #expect(first == 0)
        #expect(second == 1 << 30)
    }

    @Test("a huge number is taken back as it was stored")
    func hugeRestored() throws {
        var layout = PartLayout()
        let part = PartLayout.Part(offset: 0, size: 5, tag: "")
        layout.restore(.max, part, unit: 1 << 30)
        let offset = try take(1, 5, into: &layout)
        #expect(layout.parts[.max] == part)
        #expect(offset == 4 * megabyte)
    }

    @Test(
        "a part without a number of its own goes behind all bytes that are in the file",
        arguments: [(0, 1), (1, 2), (4 << 20, 2), (4 << 20 + 1, 3)] as [(Int64, Int)]
    )
    func reserveNext(extent: Int64, expected: Int) throws {
        var layout = PartLayout()
        let slot = try layout.reserveNext(size: 5, unit: 4 * megabyte, extent: extent, limit: 1 << 50)
        #expect(slot.number == expected)
        #expect(slot.offset >= extent)
    }

    @Test("parts without numbers of their own get different offsets before any byte came")
    func reserveNextDistinct() throws {
        var layout = PartLayout()
        var offsets: [PartLayout.Slot] = []
        for size in [5, 4 * megabyte, 1] {
            offsets.append(try layout.reserveNext(size: size, unit: 4 * megabyte, extent: 0, limit: 1 << 50))
        }
        #expect(offsets.map(\.offset) == [0, 4 * megabyte, 8 * megabyte])
        #expect(Set(offsets.map(\.number)).count == 3)
    }

    @Test("a slot that was released is for the next part that fits")
    func givenBack() throws {
        var layout = PartLayout()
        let first = try layout.reserveNext(size: 5, unit: 4 * megabyte, extent: 0, limit: 1 << 50)
        layout.release(first)
        let longer = try layout.reserveNext(size: 6, unit: 4 * megabyte, extent: 0, limit: 1 << 50)
        let shorter = try layout.reserveNext(size: 4, unit: 4 * megabyte, extent: 0, limit: 1 << 50)
        let last = try layout.reserveNext(size: 4, unit: 4 * megabyte, extent: 0, limit: 1 << 50)
        #expect([longer, shorter, last].map(\.offset) == [4 * megabyte, 0, 8 * megabyte])
        #expect(Set([longer, shorter, last].map(\.number)).count == 3)
    }

    @Test("a part without a number of its own goes nowhere beyond the limit")
    func nextPlaceLimit() throws {
        var layout = PartLayout()
        let error = #expect(throws: ServiceError.self) {
            try layout.reserveNext(size: 5, unit: 4 * megabyte, extent: 1, limit: 4 * megabyte + 4)
        }
        #expect(error?.code == .payloadTooLarge)
    }

    @Test(
        "pieces are contiguous where each begins at the end of the one before, the first at 0",
        arguments: [
            ([], true), ([(0, 5)], true), ([(1, 5)], false), ([(0, 5), (5, 2)], true), ([(5, 2), (0, 5)], false),
            ([(0, 5), (6, 2)], false), ([(0, 5), (9, 0), (5, 2)], true),
        ] as [([(Int64, Int64)], Bool)]
    )
    func areContiguous(pieces: [(Int64, Int64)], expected: Bool) {
        let pieces = pieces.map { PartLayout.Piece(offset: $0.0, size: $0.1) }
        #expect(pieces.areContiguous == expected)
    }

    @Test("a file as it lies may be cut off where nothing behind it can be named any more")
    func areContiguousFile() throws {
        var layout = PartLayout()
        for number in 1...3 { _ = try take(number, 10, into: &layout) }
        let all = try #require(layout.pieces(of: [1, 2, 3]))
        let some = try #require(layout.pieces(of: [1, 2]))
        let turned = try #require(layout.pieces(of: [3, 2, 1]))
        #expect(layout.areContiguousFile(all, extent: 30))
        #expect(layout.areContiguousFile(all, extent: 31))
        #expect(!layout.areContiguousFile(some, extent: 30))
        #expect(!layout.areContiguousFile(turned, extent: 30))
    }

    @Test("behind blocks without a tag others may go on, which only their clients know")
    func untagged() throws {
        var layout = PartLayout()
        let offset = try layout.reserve(1, size: 10, limit: 1 << 50)
        layout.record(1, PartLayout.Part(offset: offset, size: 10, tag: ""))
        let all = try #require(layout.pieces(of: [1]))
        #expect(layout.areContiguousFile(all, extent: 10))
        #expect(!layout.areContiguousFile(all, extent: 11))
    }

    @Test("parts of any sizes in any order, some of them again, never overlap", arguments: 0..<200)
    func disjoint(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let sizes: [Int64] = [0, 1, 3, megabyte, 4 * megabyte, 5 * megabyte + 1, 8 * megabyte]
        var layout = PartLayout()
        for _ in 0..<30 {
            let number = Int.random(in: 1...12, using: &generator)
            let size = sizes.randomElement(using: &generator) ?? 0
            _ = try take(number, size, into: &layout)
            let parts = layout.parts.values.filter { $0.size > 0 }.sorted { $0.offset < $1.offset }
            for (part, next) in zip(parts, parts.dropFirst()) {
                #expect(part.end <= next.offset, "part \(number) of \(size) bytes")
            }
        }
    }

    @Test("parts of one size in any order are contiguous", arguments: 0..<50)
    func equalSizes(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let size = Int64.random(in: 1...9 << 20, using: &generator)
        let count = Int.random(in: 1...20, using: &generator)
        var layout = PartLayout()
        for number in Array(1...count).shuffled(using: &generator) { _ = try take(number, size, into: &layout) }
        #expect(layout.pieces(of: Array(1...count))?.areContiguous == true)
    }
}
