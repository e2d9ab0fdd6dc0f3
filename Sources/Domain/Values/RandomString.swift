/// Creates random strings with the system's cryptographic generator.
package enum RandomString {
    /// A string of digits and letters in both cases: 5.95 bits each.
    package static func alphanumeric(_ count: Int) -> String {
        string(count, of: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    }

    /// A string of digits and lower-case letters: 5.17 bits each.
    package static func lowercase(_ count: Int) -> String {
        string(count, of: "0123456789abcdefghijklmnopqrstuvwxyz")
    }

    private static func string(_ count: Int, of alphabet: StaticString) -> String {
        var generator = SystemRandomNumberGenerator()
        return string(count, of: alphabet, using: &generator)
    }

    /// A string of characters that are all equally probable.
    ///
    /// A number of the generator is a system call, so each one gives ten characters.
    ///
    /// - Parameters:
    ///   - count: The number of characters.
    ///   - alphabet: At most 64 characters of ASCII.
    ///   - generator: Gives the random numbers.
    /// - Returns: The string.
    static func string(
        _ count: Int,
        of alphabet: StaticString,
        using generator: inout some RandomNumberGenerator
    ) -> String {
        String(unsafeUninitializedCapacity: count) { text in
            var filled = 0
            while filled < count {
                var number = generator.next()
                for _ in 0..<(UInt64.bitWidth / 6) where filled < count {
                    let index = Int(number & 63)
                    number >>= 6
                    // Not the remainder, with which the first characters would be more probable than the others.
                    guard index < alphabet.utf8CodeUnitCount else { continue }
                    text[filled] = alphabet.utf8Start[index]
                    filled += 1
                }
            }
            return count
        }
    }
}
