/// A set of ids and keys of files in a fixed amount of memory: a Bloom filter.
///
/// It never misses a name that was added. With a small probability it also contains a name that was not: such a file
/// is kept although no object refers to it. Each filter has a seed of its own, so the next one finds that file.
struct ReferenceFilter: Sendable {
    private var words: [UInt64]
    private let seed = UInt64.random(in: .min ... .max)

    /// The number of bits that a name sets: the best for 12 to 16 bits for each name.
    private static let hashes: UInt64 = 8

    /// The maximum memory, for 60 million names with one wrong answer in a thousand.
    static let maxBytes = 128 << 20

    /// Creates an empty filter.
    ///
    /// - Parameter count: The expected number of names; more of them make wrong answers more probable.
    init(for count: Int) {
        let most = ReferenceFilter.maxBytes * 8
        let bits = max(1 << 20, min(count, most / 16) * 16)
        words = Array(repeating: 0, count: bits / 64)
    }

    /// The memory in bytes.
    var size: Int { words.count * 8 }

    /// Adds the id of a file.
    mutating func insert(_ id: ObjectID) { insert(hash(of: id.description, 0)) }

    /// Adds the key of a file.
    mutating func insert(_ key: FileKey) { insert(hash(of: key.description, 1)) }

    /// Adds the ids and keys by which an object names files.
    mutating func insert(_ mentions: [FileMention]) {
        for mention in mentions {
            switch mention {
            case .id(let id): insert(id)
            case .key(let key): insert(key)
            }
        }
    }

    /// Whether the id of a file was added, or seems to have been.
    func contains(_ id: ObjectID) -> Bool { contains(hash(of: id.description, 0)) }

    /// Whether the key of a file was added, or seems to have been.
    func contains(_ key: FileKey) -> Bool { contains(hash(of: key.description, 1)) }

    private func hash(of name: String, _ kind: UInt8) -> (first: UInt64, step: UInt64) {
        var hasher = Hasher()
        hasher.combine(seed)
        hasher.combine(kind)
        for byte in name.utf8 { hasher.combine(byte) }
        let hash = UInt64(bitPattern: Int64(hasher.finalize()))
        // Two halves of one hash make as good positions as many hashes. The step is odd, so that positions differ.
        return (hash & 0xffff_ffff, hash >> 32 | 1)
    }

    private mutating func insert(_ hash: (first: UInt64, step: UInt64)) {
        for number in 0..<ReferenceFilter.hashes {
            let bit = (hash.first &+ number &* hash.step) % UInt64(words.count * 64)
            words[Int(bit / 64)] |= 1 << (bit % 64)
        }
    }

    private func contains(_ hash: (first: UInt64, step: UInt64)) -> Bool {
        (0..<ReferenceFilter.hashes).allSatisfy { number in
            let bit = (hash.first &+ number &* hash.step) % UInt64(words.count * 64)
            return words[Int(bit / 64)] & (1 << (bit % 64)) != 0
        }
    }
}
