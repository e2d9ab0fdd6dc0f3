/// How many bytes were not used for how long, in a few kilobytes of memory whatever their number.
///
/// An age is known to a thirtieth of itself: each doubling has 32 steps.
struct AgeHistogram: Sendable {
    /// Of all that was added, in bytes.
    private(set) var total: Int64 = 0
    private var sizes = [Int64](repeating: 0, count: AgeHistogram.step(of: .max) + 1)

    /// Adds bytes that were not used for some milliseconds.
    mutating func add(_ size: Int64, age: Int64) {
        total += size
        sizes[AgeHistogram.step(of: age)] += size
    }

    /// Which ages have to go, so that at least so many bytes go.
    func eviction(of excess: Int64) -> Eviction {
        var rest = excess
        for step in sizes.indices.reversed() {
            if sizes[step] >= rest { return Eviction(step: step, rest: rest) }
            rest -= sizes[step]
        }
        return Eviction(step: 0, rest: rest)
    }

    /// The step that an age belongs to; one that lies in the future belongs to the first.
    fileprivate static func step(of age: Int64) -> Int {
        guard age >= 32 else { return max(0, Int(age)) }
        let exponent = Int64.bitWidth - 1 - age.leadingZeroBitCount
        return (exponent - 4) * 32 + Int(age >> (exponent - 5)) & 31
    }
}

/// What has to go: all that is older than a step, and of the step itself as much as is still needed.
struct Eviction: Sendable {
    fileprivate let step: Int
    fileprivate var rest: Int64

    /// Whether bytes that were not used for some milliseconds have to go; counts on that they do.
    mutating func takes(_ size: Int64, age: Int64) -> Bool {
        let step = AgeHistogram.step(of: age)
        guard step == self.step, rest > 0 else { return step > self.step }
        rest -= size
        return true
    }
}
