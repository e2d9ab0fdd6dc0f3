/// An opaque colour in sRGB.
package struct Color: Sendable, Hashable, CustomStringConvertible {
    /// 0 to 255.
    package let red: UInt8
    /// 0 to 255.
    package let green: UInt8
    /// 0 to 255.
    package let blue: UInt8

    /// Creates a colour from its three components.
    package init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// #FFFFFF.
    package static let white = Color(red: 255, green: 255, blue: 255)

    /// `RRGGBB` in lower case.
    package var description: String { [red, green, blue].hexadecimal }
}
