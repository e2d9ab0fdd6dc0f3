/// A histogram of bytes by the time since their last use, of a few kilobytes for any number of files.
///
/// The precision of an age is a thirtieth of it: each doubling has 32 steps.
struct AgeHistogram: Sendable {
    /// The sum of all added sizes, in bytes.
    private(set) var total: Int64 = 0
    private var sizes = [Int64](repeating: 0, count: AgeHistogram.step(of: .max) + 1)

    /// Adds a file's size by the time since its last use, in milliseconds.
    mutating func add(_ size: Int64, age: Int64) {
        total += size
        sizes[AgeHistogram.step(of: age)] += size
    }

    /// The ages to evict, so that at least `excess` bytes are freed.
    func eviction(of excess: Int64) -> Eviction {
        var rest = excess
        for step in sizes.indices.reversed() {
            if sizes[step] >= rest { return Eviction(step: step, rest: rest) }
            rest -= sizes[step]
        }
        return Eviction(step: 0, rest: rest)
    }

    /// The step of an age; an age in the future belongs to the first step.
    fileprivate static func step(of age: Int64) -> Int {
        guard age >= 32 else { return max(0, Int(age)) }
        let exponent = Int64.bitWidth - 1 - age.leadingZeroBitCount
        return (exponent - 4) * 32 + Int(age >> (exponent - 5)) & 31
    }
}

/// The ages to evict: all older than a step, and part of the step itself.
struct Eviction: Sendable {
    fileprivate let step: Int
    fileprivate var rest: Int64

    /// Whether a file with a time since its last use, in milliseconds, is evicted; counts it as evicted.
    mutating func takes(_ size: Int64, age: Int64) -> Bool {
        let step = AgeHistogram.step(of: age)
        guard step == self.step, rest > 0 else { return step > self.step }
        rest -= size
        return true
    }
}
