internal import Domain
internal import S3

extension ServiceError {
    /// The error of a request for which the store did not do what was requested.
    ///
    /// A missing object is an error here, too: callers that expect one handle it before.
    init(_ error: S3Error) {
        switch error.reason {
        case .full: self = StorageFault.full.error(cause: error)
        // As for a database that cannot be reached.
        case .unavailable, .stopped, .clock:
            self.init(.unavailable, "The server's S3 store cannot be reached.", cause: error)
        case .settings, .missing, .tooLarge, .refused, .damaged, .local:
            self = StorageFault.failing.error(cause: error)
        }
    }

    /// Whether the store has no object with the requested name.
    var isMissingObject: Bool { (cause as? S3Error)?.reason == .missing }

    /// The key has another file's blob, or another put is about to give it one.
    static let keyTaken = ServiceError(.duplicateValue, "The key is taken.")
}
