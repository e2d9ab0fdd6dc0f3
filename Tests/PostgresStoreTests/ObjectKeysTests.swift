import Domain
import Support
import Testing

@testable import PostgresStore

@Suite struct ObjectKeysTests {
    @Test("keys of numbers have the order of the numbers, also where a double is not exact")
    func numbers() {
        let exact: Int64 = 1 << 53
        var values: [JSONValue] = [0, 1, -1, exact, exact + 1, exact + 2, -exact - 1, .max, .max - 1, .min, .min + 1]
            .map { JSONValue.integer($0) }
        values += [
            0.5, -0.5, 1e300, -1e300, 0x1p63, -0x1p63, 0x1p53, .leastNonzeroMagnitude, -0.0,
        ].map { JSONValue.number($0) }
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            values.append(.integer(Int64.random(in: .min ... .max, using: &generator)))
            values.append(.number(Double.random(in: -1e19...1e19, using: &generator)))
        }
        for left in values {
            for right in values {
                let order = JSONValue.order(left, right)
                let keys = (ObjectKeys.key(left) ?? "").compareBytes(to: ObjectKeys.key(right) ?? "")
                #expect(order == keys, "\(left) \(right)")
            }
        }
    }

    @Test("the whole number of a key is the one that it was made of", arguments: [0, 41, -7, 1 << 53 + 1, .max, .min])
    func wholeNumber(value: Int64) {
        #expect(NumberKey.wholeNumber(NumberKey.text(value)) == value)
        #expect(NumberKey.wholeNumber(NumberKey.text(41.7)) == 41)
    }

    @Test("escaped strings contain no U+0000, stay different and keep their order")
    func strings() {
        let parts = ["", "\0", "\u{1}", "\u{2}", "a"]
        let texts = parts.flatMap { first in parts.flatMap { second in parts.map { first + second + $0 } } }
        for left in texts {
            #expect(!ObjectKeys.escaped(left).utf8.contains(0))
            for right in texts {
                let escaped = ObjectKeys.escaped(left).compareBytes(to: ObjectKeys.escaped(right))
                #expect(left.compareBytes(to: right) == escaped)
            }
        }
    }
}
