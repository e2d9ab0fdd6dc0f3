internal import CPostgres

/// `COPY` in PostgreSQL's binary format, which libpq does not allow in pipeline mode.
///
/// After an error the connection is in an undefined state, and must not be used again.
extension PostgresConnection {
    /// Runs the waiting statements, and begins a `COPY … FROM STDIN`.
    func beginCopy(_ statement: String) throws {
        try begin(statement, PGRES_COPY_IN)
    }

    /// Sends a part of the data; waits while the server does not take it.
    func sendCopy(_ bytes: [UInt8]) throws {
        let isSent = bytes.withUnsafeBytes { buffer in
            PQputCopyData(handle, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(buffer.count)) == 1
        }
        guard isSent else { throw loss() }
    }

    /// Ends the data, and waits until the server has taken all of it.
    func endCopy() throws {
        guard PQputCopyEnd(handle, nil) == 1 else { throw loss() }
        try end()
    }

    /// Runs the waiting statements, and begins a `COPY … TO STDOUT`.
    func beginCopyOut(_ statement: String) throws {
        try begin(statement, PGRES_COPY_OUT)
    }

    /// Passes the next message of the `COPY`, which contains whole rows; ends it after the last one.
    ///
    /// - Returns: `false` if the last one was passed before.
    func nextCopied(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        var message: UnsafeMutablePointer<CChar>?
        let count = PQgetCopyData(handle, &message, 0)
        guard count > 0 else {
            try end()
            return false
        }
        defer { PQfreemem(message) }
        try body(UnsafeRawBufferPointer(start: message, count: Int(count)))
        return true
    }

    private func begin(_ statement: String, _ status: ExecStatusType) throws {
        try flush()
        guard PQexitPipelineMode(handle) == 1, let result = PQexec(handle, statement) else { throw loss() }
        defer { PQclear(result) }
        guard PQresultStatus(result) == status else { throw PostgresError(result: result) }
    }

    /// Reads the result of the statement.
    private func end() throws {
        var failure: PostgresError?
        while let result = PQgetResult(handle) {
            defer { PQclear(result) }
            if PQresultStatus(result) != PGRES_COMMAND_OK { failure = failure ?? PostgresError(result: result) }
            // Otherwise libpq gives the same result again.
            if isLost { break }
        }
        if isLost { throw loss() }
        if let failure { throw failure }
        guard PQenterPipelineMode(handle) == 1 else { throw loss() }
    }
}
