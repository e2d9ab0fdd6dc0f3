internal import Glibc

/// Texts with an answer for each: a hash table over bytes, because sets of strings hash by Unicode equivalence, which is
/// several times slower and not what ACLs need.
struct TextTable: Sendable {
    /// A text of ``bytes`` with its answer; empty if the length is negative.
    private struct Slot {
        var hash: UInt64 = 0
        var start: Int32 = 0
        var length: Int32 = -1
        var answer = false
    }

    /// Open addressing; at most half of the slots are used, and their number is a power of two.
    private var slots: [Slot]
    /// All texts, one after the other.
    private var bytes: [UInt8] = []
    private(set) var count = 0

    /// The number of bytes of all texts.
    var size: Int { bytes.count }

    init() {
        slots = Array(repeating: Slot(), count: 8)
    }

    /// Creates a table of different texts with one answer.
    init(_ texts: [ArraySlice<UInt8>], answer: Bool) {
        self.init()
        for text in texts { text.withUnsafeBufferPointer { insert($0, answer: answer) } }
    }

    /// The answer for a text; `nil` for an unknown one.
    func answer(for text: UnsafeBufferPointer<UInt8>) -> Bool? {
        let hash = hash(of: text)
        // As pointers, so that the arrays are retained once and not at each step.
        return slots.withUnsafeBufferPointer { slots in
            bytes.withUnsafeBufferPointer { bytes in
                let slot = slots[TextTable.position(of: text, hash, in: slots, bytes)]
                return slot.length < 0 ? nil : slot.answer
            }
        }
    }

    /// Adds a text that is not in the table.
    mutating func insert(_ text: UnsafeBufferPointer<UInt8>, answer: Bool) {
        if (count + 1) * 2 > slots.count { grow() }
        let hash = hash(of: text)
        let slot = Slot(hash: hash, start: Int32(bytes.count), length: Int32(text.count), answer: answer)
        let position = slots.withUnsafeBufferPointer { slots in
            bytes.withUnsafeBufferPointer { TextTable.position(of: text, hash, in: slots, $0) }
        }
        slots[position] = slot
        bytes.append(contentsOf: text)
        count += 1
    }

    /// Where a text is, or the free slot for it.
    private static func position(
        of text: UnsafeBufferPointer<UInt8>,
        _ hash: UInt64,
        in slots: UnsafeBufferPointer<Slot>,
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Int {
        let mask = slots.count - 1
        var position = Int(truncatingIfNeeded: hash) & mask
        while slots[position].length >= 0 {
            let slot = slots[position]
            if slot.hash == hash, Int(slot.length) == text.count, isEqual(text, to: slot, in: bytes) { break }
            position = (position + 1) & mask
        }
        return position
    }

    private static func isEqual(
        _ text: UnsafeBufferPointer<UInt8>,
        to slot: Slot,
        in bytes: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard let text = text.baseAddress, let start = bytes.baseAddress else { return slot.length == 0 }
        return memcmp(start + Int(slot.start), text, Int(slot.length)) == 0
    }

    /// A product of 128 bits for each eight bytes, which takes a third of the time of Swift's hasher: a count hashes the
    /// ACL of each row.
    ///
    /// Seeded at random for each process: clients choose the texts of ACLs, and could otherwise choose many with one hash.
    private func hash(of text: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let bytes = UnsafeRawBufferPointer(text)
        var hash = TextTable.seed ^ UInt64(truncatingIfNeeded: bytes.count)
        var position = 0
        while position + 8 <= bytes.count {
            hash = TextTable.mixed(hash ^ bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            position += 8
        }
        var rest: UInt64 = 0
        while position < bytes.count {
            rest = rest << 8 | UInt64(bytes[position])
            position += 1
        }
        return TextTable.mixed(hash ^ rest)
    }

    private static let seed = UInt64.random(in: .min ... .max)

    private static func mixed(_ word: UInt64) -> UInt64 {
        // The fraction of the golden ratio, whose bits have no pattern.
        let product = word.multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
        return product.high ^ product.low
    }

    private mutating func grow() {
        let former = slots
        slots = Array(repeating: Slot(), count: former.count * 2)
        let mask = slots.count - 1
        for slot in former where slot.length >= 0 {
            var position = Int(truncatingIfNeeded: slot.hash) & mask
            while slots[position].length >= 0 { position = (position + 1) & mask }
            slots[position] = slot
        }
    }
}
