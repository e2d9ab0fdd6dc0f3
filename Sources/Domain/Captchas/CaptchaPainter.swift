/// Draws the pictures of captchas.
package protocol CaptchaPainter: Sendable {
    /// Draws a picture; the same one for equal values.
    ///
    /// - Returns: A PNG.
    /// - Throws: ``ServiceError/Code/overloaded``, or an error of the library.
    func paint(_ picture: CaptchaPicture) async throws -> [UInt8]
}

/// What the picture of a captcha shows.
package struct CaptchaPicture: Sendable, Hashable {
    /// The characters.
    package let characters: String
    /// The width in pixels, 60 to 200.
    package let width: Int
    /// The height in pixels, 30 to 100.
    package let height: Int
    /// The number from which distortion and noise follow.
    package let seed: UInt64

    /// Creates the description of a picture.
    package init(characters: String, width: Int, height: Int, seed: UInt64) {
        self.characters = characters
        self.width = width
        self.height = height
        self.seed = seed
    }
}
