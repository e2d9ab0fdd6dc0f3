/// The reason for which a bitmap is not decoded; for the log.
enum BMPError: Error, Equatable, CustomStringConvertible {
    /// The signature is missing.
    case notBitmap
    /// Fields contradict each other or the format.
    case broken(String)
    /// A variant that no known program writes, or that contains another format.
    case unsupported(String)
    /// The pixels are incomplete.
    case truncated

    var description: String {
        switch self {
        case .notBitmap: "bitmap: does not begin like one"
        case .broken(let what): "bitmap: broken \(what)"
        case .unsupported(let what): "bitmap: unsupported \(what)"
        case .truncated: "bitmap: the pixels end too early"
        }
    }
}
