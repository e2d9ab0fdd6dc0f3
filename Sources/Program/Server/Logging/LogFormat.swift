internal import Glibc

/// The setting `log.format`.
package enum LogFormat: String, CaseIterable, Sendable {
    /// Text on a terminal, JSON otherwise.
    case auto
    /// A line that people read: time, level, name of the logger, message, fields.
    case text
    /// One JSON object for each line.
    case json

    /// The layout of the lines on a descriptor.
    func layout(on descriptor: CInt) -> LogLayout {
        switch self {
        case .auto: isatty(descriptor) == 1 ? .text : .json
        case .text: .text
        case .json: .json
        }
    }
}
