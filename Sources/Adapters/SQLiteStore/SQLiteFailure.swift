internal import Domain
internal import GRDB

/// Translates errors of SQLite to errors for clients (docs/storage-format.md has the table).
enum SQLiteFailure {
    /// The error for the client, with SQLite's own as its cause; other errors are returned unchanged.
    static func translated(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        if let fault = fault(of: error) { return fault.error(cause: error) }
        switch error.resultCode {
        case .SQLITE_TOOBIG:
            return ServiceError(.badRequest, "The query is too large.", cause: error)
        case _ where error.isOutOfMemory:
            return ServiceError(
                .overloaded,
                "The database has no memory left for this request; try again, or ask for less.",
                cause: error
            )
        default:
            return error
        }
    }

    /// Whether an error says that the database is damaged.
    static func isDamage(_ error: any Error) -> Bool {
        error is DamagedCatalog || (error as? DatabaseError).flatMap(fault(of:)) == .damaged
    }

    /// The storage fault that a result code reports; `nil` for other codes.
    ///
    /// SQLite reports only `ENOSPC` as full: an exhausted quota and a read-only file system are `SQLITE_IOERR` as well,
    /// so I/O errors are examined further (``StorageHealth/reported(_:)``).
    static func fault(of error: DatabaseError) -> StorageFault? {
        switch error.resultCode {
        case .SQLITE_FULL: .full
        case .SQLITE_READONLY: .readOnly
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged
        case .SQLITE_IOERR where error.isOutOfMemory: nil
        case .SQLITE_IOERR, .SQLITE_CANTOPEN: .failing
        default: nil
        }
    }
}

extension DatabaseError {
    fileprivate var isOutOfMemory: Bool {
        resultCode == .SQLITE_NOMEM || extendedResultCode == .SQLITE_IOERR_NOMEM
    }
}
