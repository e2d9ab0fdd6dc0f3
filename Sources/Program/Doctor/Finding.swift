/// What the doctor says about one subject: one line, and what to do.
package struct Finding: Sendable, Equatable {
    /// How grave a finding is.
    package enum Level: String, Sendable, CaseIterable {
        /// As it should be.
        case ok
        /// Worth knowing; the server works.
        case note
        /// Something does not work, or data is in danger.
        case problem
    }

    /// What was examined, such as `storage.space`; stable, for scripts.
    package let subject: String
    /// How grave it is.
    package let level: Level
    /// What was seen, and for a note or a problem what to do; without a secret.
    package let text: String

    /// Creates a finding.
    package init(_ subject: String, _ level: Level, _ text: String) {
        self.subject = subject
        self.level = level
        self.text = text
    }
}
