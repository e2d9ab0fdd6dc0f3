/// Something that `lcfile check` found in an app's folder.
package struct IntegrityFinding: Sendable, Hashable {
    /// The kinds of findings; the raw values are those of `--json`.
    package enum Kind: String, Sendable, CaseIterable {
        /// SQLite finds the pages of the database damaged.
        case damagedDatabase = "damaged-database"
        /// Acknowledged changes are missing in the write-ahead log of the database.
        case lostChanges = "lost-changes"
        /// A row is not what was written.
        case damagedRow = "damaged-row"
        /// A file's record has no valid key, size or digest.
        case unreadableRecord = "unreadable-record"
        /// A record's blob is not there.
        case missingBlob = "missing-blob"
        /// A blob has not the bytes that were uploaded.
        case damagedBlob = "damaged-blob"
        /// A blob is there, and no record names it.
        case orphanBlob = "orphan-blob"
        /// The app's usage is not the sum of its files and uploads.
        case wrongUsage = "wrong-usage"
        /// An object refers to a file that does not exist.
        case danglingReference = "dangling-reference"
        /// Bytes of an upload that no request continues.
        case stagedLeftover = "staged-leftover"
        /// A put into a bucket that no server ends any more; its key stays taken.
        case abandonedPut = "abandoned-put"
        /// A derivative of which lcfile serves nothing.
        case brokenDerivative = "broken-derivative"
        /// A file that lcfile did not make.
        case foreignFile = "foreign-file"

        /// Whether something is lost or wrong; the others are notes, which the server or the app deals with.
        package var isDamage: Bool {
            switch self {
            case .damagedDatabase, .lostChanges, .damagedRow, .unreadableRecord, .missingBlob, .damagedBlob,
                .orphanBlob, .wrongUsage:
                true
            case .danglingReference, .stagedLeftover, .abandonedPut, .brokenDerivative, .foreignFile:
                false
            }
        }
    }

    /// The app.
    package let app: String
    /// What was found.
    package let kind: Kind
    /// What it concerns: the id of a file or an object with its class, a path in the app's folder, or the database.
    package let subject: String
    /// The description; continues the subject.
    package let detail: String
    /// What the repair did; `nil` if it did nothing.
    package var repair: String?

    /// Creates a finding that was not repaired.
    package init(app: String, _ kind: Kind, _ subject: String, _ detail: String) {
        self.app = app
        self.kind = kind
        self.subject = subject
        self.detail = detail
    }
}
