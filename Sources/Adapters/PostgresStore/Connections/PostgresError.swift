internal import CPostgres
internal import Domain

/// An error that PostgreSQL or its client library reported.
struct PostgresError: Error, CustomStringConvertible {
    /// The five characters of the SQLSTATE; `08006` if the connection was lost.
    let state: String
    /// The message in the server's language.
    let message: String
    /// The name of the violated constraint or unique index.
    var constraint: String?

    var description: String { "\(state): \(message)" }

    /// Whether the connection cannot be used any more.
    var isLoss: Bool { state.hasPrefix("08") || PostgresError.endings.contains(state) }

    /// Whether a unique index refused a value.
    var isDuplicate: Bool { state == "23505" }

    /// Whether a statement waited too long for a lock.
    var isLockTimeout: Bool { state == "55P03" }

    /// Whether other transactions caused it, so that a repetition can succeed.
    var isConflict: Bool { state == "40001" || state == "40P01" }

    /// Whether a new connection can have another result: the database was read-only when the session began, or the
    /// schema of the session does not exist any more.
    var concernsSession: Bool { state == PostgresError.readOnly || PostgresError.missing.contains(state) }

    /// A change in a read-only transaction.
    ///
    /// Replicas are not connected to, so it is a setting of the database or of the role.
    private static let readOnly = "25006"

    /// A table or a schema that does not exist.
    private static let missing: Set<String> = ["42P01", "3F000"]

    /// The server ends, or ended the connection: shutdown, crash of another process, start, time limits.
    private static let endings: Set<String> = ["57P01", "57P02", "57P03", "57P05", "25P03"]

    /// The statement that the client cancelled.
    static let cancelled = "57014"

    static func loss(_ message: String) -> PostgresError { PostgresError(state: "08006", message: message) }
}

extension PostgresError {
    /// Reads the error of a result.
    init(result: OpaquePointer) {
        func field(_ code: CInt) -> String? { PQresultErrorField(result, code).map { String(cString: $0) } }
        self.init(
            state: field(lcfile_pg_sqlstate()) ?? "08006",
            message: field(lcfile_pg_message()) ?? PQresultErrorMessage(result).map { String(cString: $0) } ?? "",
            constraint: field(lcfile_pg_constraint())
        )
    }

    /// The error for the client, with this one as its cause.
    var translated: ServiceError {
        // The schema was moved or removed while this server runs.
        if isLoss || PostgresError.missing.contains(state) { return PostgresError.unreachable(cause: self) }
        return switch state {
        case "53100": StorageFault.full.error(cause: self)
        case PostgresError.readOnly: StorageFault.readOnly.error(cause: self)
        case "XX001", "XX002": StorageFault.damaged.error(cause: self)
        case "58030": StorageFault.failing.error(cause: self)
        case "53200", "53300", "53400", "55P03", "40001", "40P01":
            ServiceError(.overloaded, "The database has too much to do; try again.", cause: self)
        case "54000", "54001", "54011", "54023":
            ServiceError(.badRequest, "The query is too large.", cause: self)
        default: ServiceError(.internalFailure, "Internal error.", cause: self)
        }
    }

    /// The error while the database cannot be reached.
    static func unreachable(cause: any Error) -> ServiceError {
        ServiceError(.unavailable, "The server's database cannot be reached.", cause: cause)
    }
}
