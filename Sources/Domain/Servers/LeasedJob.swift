/// The work of one app that one server does at a time: each has a lease of its own, so that work spreads over servers.
///
/// The names are stored; docs/scale-out.md says what belongs to each.
package enum LeasedJob: String, Sendable, CaseIterable {
    /// Expired uploads are removed.
    case uploads
    /// The bytes of deleted files are removed.
    case deletions
    /// Entries of the trash are removed when their time is over.
    case trash
    /// Blobs and rows are read and compared with their checksums.
    case scrub
    /// Mails are sent.
    case mails
    /// SMS are sent.
    case sms
    /// Statuses are delivered, and what deleted users had is removed.
    case people
    /// Images are checked, also those of bulk runs.
    case censorship
}
