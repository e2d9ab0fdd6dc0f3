internal import FoundationEssentials
internal import Glibc

/// Colours and weights of text, only on a terminal and without the variable `NO_COLOR` (no-color.org).
struct Style: Sendable {
    /// Whether escape sequences are written.
    let isOn: Bool

    /// For text on standard error.
    static var error: Style { Style(descriptor: STDERR_FILENO) }
    /// For text on standard output.
    static var output: Style { Style(descriptor: STDOUT_FILENO) }

    init(isOn: Bool) {
        self.isOn = isOn
    }

    private init(descriptor: CInt) {
        let environment = ProcessInfo.processInfo.environment
        isOn = isatty(descriptor) == 1 && Style.allows(environment)
    }

    /// Whether the environment allows colours.
    static func allows(_ environment: [String: String]) -> Bool {
        (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    func bold(_ text: String) -> String { wrapped(text, 1) }

    func red(_ text: String) -> String { wrapped(text, 31) }

    func green(_ text: String) -> String { wrapped(text, 32) }

    private func wrapped(_ text: String, _ code: Int) -> String {
        isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
