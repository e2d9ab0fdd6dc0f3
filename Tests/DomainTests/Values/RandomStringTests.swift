import Testing

@testable import Domain

struct RandomStringTests {
    /// Gives numbers of a list, and zeros after it.
    private struct Numbers: RandomNumberGenerator {
        var list: [UInt64]
        private(set) var count = 0

        init(_ list: [UInt64]) {
            self.list = list
        }

        mutating func next() -> UInt64 {
            count += 1
            return list.isEmpty ? 0 : list.removeFirst()
        }
    }

    @Test("strings have the number of characters that was asked for", arguments: [0, 1, 9, 10, 11, 32, 1000])
    func lengths(count: Int) {
        #expect(RandomString.alphanumeric(count).utf8.count == count)
        #expect(RandomString.lowercase(count).utf8.count == count)
    }

    @Test("every character of the alphabet occurs, and no other")
    func alphabets() {
        let digits = Set("0123456789")
        let small = Set("abcdefghijklmnopqrstuvwxyz")
        let capitals = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        #expect(Set(RandomString.lowercase(10_000)) == digits.union(small))
        #expect(Set(RandomString.alphanumeric(10_000)) == digits.union(small).union(capitals))
    }

    @Test("six bits choose a character")
    func bits() {
        var numbers = Numbers([0b000011_000010_000001_000000])
        #expect(RandomString.string(4, of: "abcd", using: &numbers) == "abcd")
    }

    @Test("bits beyond the alphabet choose none")
    func bitsBeyond() {
        var numbers = Numbers([0b000001_111111_000100_000011])
        #expect(RandomString.string(2, of: "abcd", using: &numbers) == "db")
    }

    @Test("a number gives ten characters")
    func numbers() {
        var numbers = Numbers([])
        #expect(RandomString.string(10, of: "abcd", using: &numbers) == "aaaaaaaaaa")
        #expect(numbers.count == 1)
        #expect(RandomString.string(11, of: "abcd", using: &numbers) == "aaaaaaaaaaa")
        #expect(numbers.count == 3)
    }

    @Test("strings differ")
    func distinct() {
        #expect(Set((0..<1000).map { _ in RandomString.lowercase(25) }).count == 1000)
    }
}
