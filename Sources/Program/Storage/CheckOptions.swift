internal import Domain

/// What a check does besides comparing names and sizes.
package struct CheckOptions: Sendable {
    /// Whether the bytes of blobs and derivatives are read and compared with their digests.
    package var readsData = false
    /// The blobs whose bytes are read.
    package var subset = CheckSubset.all
    /// Whether what was found is repaired; no server can run on the folder then.
    package var repairs = false
    /// What a repair does with damaged rows.
    package var damagedRows = DamagedRows.kept

    /// Creates the options of a check that reads names and sizes and changes nothing.
    package init() {}
}

/// What a repair does with damaged rows.
package enum DamagedRows: Sendable {
    /// Only reports them.
    case kept
    /// Accepts them as they are, so that they are read again.
    case accepted
    /// Removes them.
    case removed
}

/// A part of the blobs: `7/30` is the seventh of thirty parts, which together are all blobs.
package struct CheckSubset: Sendable {
    let blobs: BlobSubset

    /// All blobs.
    package static let all = CheckSubset(blobs: .all)

    private init(blobs: BlobSubset) {
        self.blobs = blobs
    }

    /// Whether these are all blobs.
    var isAll: Bool { blobs == .all }

    /// Parses `N/M`; `nil` for other strings.
    package init?(_ text: String) {
        guard let blobs = BlobSubset(text) else { return nil }
        self.blobs = blobs
    }
}

/// Something that a check found.
package struct CheckFinding: Sendable, Equatable {
    /// The app.
    package let app: String
    /// The kind, such as `damaged-blob`; docs/check.md has the list.
    package let kind: String
    /// Whether something is lost or wrong; otherwise it is a note.
    package let isDamage: Bool
    /// What it concerns.
    package let subject: String
    /// The description; continues the subject.
    package let detail: String
    /// What the repair did; `nil` if it did nothing.
    package let repair: String?

    init(_ finding: IntegrityFinding) {
        app = finding.app
        kind = finding.kind.rawValue
        isDamage = finding.kind.isDamage
        subject = finding.subject
        detail = finding.detail
        repair = finding.repair
    }
}

/// Hears what a check does; called by one thread at a time.
package struct CheckObserver: Sendable {
    /// Called with each finding; after a repair it says what was done.
    package let found: @Sendable (CheckFinding) -> Void
    /// Called when the number of an app's files, and the bytes that will be read, are known.
    package let expect: @Sendable (_ files: Int, _ bytes: Int64) -> Void
    /// Called after files were checked, with their number and the bytes that were read.
    package let checked: @Sendable (_ files: Int, _ bytes: Int64) -> Void
    /// Called with the name of each step.
    package let step: @Sendable (String) -> Void

    /// Creates an observer.
    package init(
        found: @escaping @Sendable (CheckFinding) -> Void,
        expect: @escaping @Sendable (Int, Int64) -> Void = { _, _ in },
        checked: @escaping @Sendable (Int, Int64) -> Void = { _, _ in },
        step: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.found = found
        self.expect = expect
        self.checked = checked
        self.step = step
    }
}

/// The result of a check.
package struct CheckSummary: Sendable, Equatable {
    /// The number of apps.
    package var apps = 0
    /// The number of files with bytes.
    package var files = 0
    /// The sum of their sizes in bytes.
    package var bytes: Int64 = 0
    /// The number of files whose bytes were read.
    package var readFiles = 0
    /// The bytes that were read.
    package var readBytes: Int64 = 0
    /// The number of rows whose checksums were compared.
    package var rows = 0
    /// The number of findings by kind.
    package var findings: [String: Int] = [:]
    /// The findings of damage that remain: those that were not repaired.
    package var damage = 0
    /// The findings that a repair dealt with.
    package var repaired = 0
    /// The findings that are neither damage nor repaired.
    package var notes = 0
    /// When the scrubber last ended a whole round, of the app for which this is longest ago: `2027-01-12T08:00:00.000Z`;
    /// `nil` if it has not for one of them.
    package var scrubbed: String?

    /// Creates an empty summary.
    package init() {}

    mutating func add(_ finding: IntegrityFinding) {
        findings[finding.kind.rawValue, default: 0] += 1
        if finding.repair != nil {
            repaired += 1
        } else if finding.kind.isDamage {
            damage += 1
        } else {
            notes += 1
        }
    }
}
