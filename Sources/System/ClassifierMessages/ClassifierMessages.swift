/// What the server and a classifier process (`lcfile-classifier`) say to each other.
///
/// The process finds the model at the descriptor ``model``. When it has loaded the model, it writes an answer without
/// scores to standard output. Then it reads requests from standard input and answers each, until its input ends.
/// A request is the mark ``request``, the number of frames and their pixels, ``frameLength`` bytes each. An answer is
/// the mark ``answer``, the number of scores and the scores. Numbers have 32 bits, little-endian; scores are IEEE 754.
package enum ClassifierMessages {
    /// The descriptor at which the process finds the model, open for reading.
    package static let model: Int32 = 3
    /// The first number of a request.
    package static let request: UInt32 = 0x6c63_6671
    /// The first number of an answer.
    package static let answer: UInt32 = 0x6c63_6661
    /// The bytes of the two numbers before frames and scores.
    package static let headLength = 8
    /// The bytes of a frame: 224 rows of 224 pixels of red, green and blue.
    package static let frameLength = 224 * 224 * 3
    /// The largest number of frames of a request.
    package static let maxFrames = 64
    /// The largest model, in bytes.
    package static let maxModel = 256 << 20

    /// The head of a request or an answer.
    package static func head(_ mark: UInt32, count: Int) -> [UInt8] {
        bytes(of: mark) + bytes(of: UInt32(truncatingIfNeeded: count))
    }

    /// The number of frames or scores that a head announces; `nil` if it is no head with this mark.
    package static func count(in head: [UInt8], after mark: UInt32) -> Int? {
        guard head.count == headLength, number(in: head, at: 0) == mark else { return nil }
        let count = Int(number(in: head, at: 4))
        return count <= maxFrames ? count : nil
    }

    /// The bytes of scores.
    package static func bytes(of scores: [Float]) -> [UInt8] { scores.flatMap { bytes(of: $0.bitPattern) } }

    /// The scores in bytes; `nil` if one of them is no probability.
    package static func scores(in bytes: [UInt8]) -> [Float]? {
        let scores = stride(from: 0, to: bytes.count, by: 4).map { Float(bitPattern: number(in: bytes, at: $0)) }
        return scores.allSatisfy { (0...1).contains($0) } ? scores : nil
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func number(in bytes: [UInt8], at start: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << (8 * UInt32($1)) }
    }
}

/// The exit status of a classifier process.
package enum ClassifierExit: Int32, Sendable {
    /// The input ended between two requests.
    case finished = 0
    /// It was started in another way than by the server.
    case misused = 64
    /// The bytes of the model are not a network that OpenCV can compute.
    case badModel = 65
    /// A request is malformed.
    case badRequest = 66
    /// The answer cannot be written, or OpenCV failed.
    case unable = 69
    /// The process could not be confined, and read nothing.
    case notConfined = 77
}
