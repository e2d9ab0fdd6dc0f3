import Support

/// Files as they come from broken disks and from attackers.
enum Damage {
    /// Every beginning of these bytes, the empty one first, the whole left out.
    static func truncations(of bytes: [UInt8]) -> [[UInt8]] {
        bytes.indices.map { Array(bytes[..<$0]) }
    }

    /// These bytes with some of them changed, doubled, lost or replaced by numbers that lie at an edge.
    static func mutations(of bytes: [UInt8], count: Int, seed: UInt64) -> [[UInt8]] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) { change(&damaged, &generator) }
            return damaged
        }
    }

    private static func change(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        // What readers rely on stands at the beginning.
        let reach = Bool.random(using: &generator) ? min(bytes.count, 160) : bytes.count
        let place = Int.random(in: 0..<reach, using: &generator)
        let end = min(bytes.count, place + Int.random(in: 1...4, using: &generator))
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: for index in place..<end { bytes[index] = Bool.random(using: &generator) ? 0xff : 0 }
        case 3: bytes.removeSubrange(place..<end)
        default: bytes.insert(contentsOf: bytes[place..<end], at: place)
        }
    }
}
