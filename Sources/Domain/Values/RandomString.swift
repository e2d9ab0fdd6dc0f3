/// Creates random strings with the system's cryptographic generator.
package enum RandomString {
    /// A string of digits and letters in both cases: 5.95 bits each.
    static func alphanumeric(_ count: Int) -> String {
        string(count, of: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    }

    /// A string of digits and lower-case letters: 5.17 bits each.
    package static func lowercase(_ count: Int) -> String {
        string(count, of: "0123456789abcdefghijklmnopqrstuvwxyz")
    }

    private static func string(_ count: Int, of alphabet: String) -> String {
        let alphabet = Array(alphabet.utf8)
        var generator = SystemRandomNumberGenerator()
        let characters = (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
        return String(decoding: characters, as: UTF8.self)
    }
}
