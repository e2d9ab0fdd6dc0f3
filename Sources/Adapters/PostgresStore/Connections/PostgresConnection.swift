internal import CPostgres
internal import Domain
internal import Glibc

/// One connection to PostgreSQL, always in pipeline mode.
///
/// Every call blocks. Statements whose results are not needed at once, such as `BEGIN`, savepoints and inserted objects,
/// wait and travel with the next one, so that a transaction with one more statement takes one exchange.
///
/// `@unchecked Sendable`: one thread at a time uses a connection. A connection of ``ConnectionPool`` is either idle, in a
/// list behind a lock, or used by the thread that took it. Each other connection belongs to ``ChangeListener``, whose one
/// job calls it, or to ``SessionLocks`` or ``IndexBuilder``, which call it on a pool of one thread.
final class PostgresConnection: @unchecked Sendable {
    let handle: OpaquePointer
    private let options: PostgresAddress
    /// How long the server can be silent while it owes an answer, before the connection counts as lost; `nil` leaves that
    /// to the operating system, which knows only whether the network works.
    var patience: Duration?
    /// Whether the running statement is to be cancelled; asked a few times a second while it runs.
    var mustCancel: (@Sendable () -> Bool)?
    /// The timeline of the database (``TimelineCheck``).
    var timeline = 0
    /// Whether the connection counts as lost, because the server was silent for too long, for example.
    private var isAbandoned = false
    private var waiting = WaitingStatements()
    /// The names of prepared statements by their text.
    private var prepared: [String: String] = [:]
    /// The names of the statements that the current exchange prepares.
    ///
    /// If a preparation fails, the statements behind it do not run.
    private var preparing: [String: String] = [:]
    private var preparedCount = 0
    /// The number of exchanges so far, those included whose results are not read yet.
    private(set) var exchanges = 0
    /// Commands whose results are sent but not read: those of ``finish(_:)``.
    private var unread: [Bool] = []

    /// The number of prepared statements after which all of them are released.
    private static let maxPrepared = 500
    /// Longer texts are parsed each time.
    private static let longestPrepared = 8192

    /// Connects, and prepares the session with the first exchange, which `begin` runs, also with a statement of its own.
    init(_ address: PostgresAddress, beginning begin: (PostgresConnection) throws -> Void = { try $0.flush() }) throws {
        options = address
        let names = address.options.map { strdup($0.name) }
        let values = address.options.map { strdup($0.value) }
        defer { for text in names + values { free(text) } }
        let pointers = (names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil])
        guard let handle = PQconnectdbParams(pointers.0, pointers.1, 1) else { throw PostgresError.loss("no memory") }
        self.handle = handle
        guard PQstatus(handle) == CONNECTION_OK else { throw PostgresError.loss(lastMessage) }
        // The default prints each notice of the server on the standard error.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
        guard PQenterPipelineMode(handle) == 1 else { throw PostgresError.loss(lastMessage) }
        for setting in [
            // PostgreSQL searches pg_catalog before it anyway. It must not be named: a session whose path is computed
            // while another one commits the schema keeps the path without the schema, if a name follows, and would
            // create its tables in pg_catalog.
            "SET search_path = \(address.schema.quotedName)", "SET jit = off",
            "SET lock_timeout = '\(address.timeout)s'", "SET extra_float_digits = 1",
            "SET idle_in_transaction_session_timeout = '\(address.timeout * 3)s'",
            // An acknowledged change survives a crash also where the database's default is weaker.
            """
            SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
            """,
        ] {
            later(setting)
        }
        patience = .seconds(address.timeout)
        try begin(self)
        patience = nil
    }

    deinit {
        PQfinish(handle)
    }

    /// Lets the connection count as lost; returns the error of that.
    func abandon(_ reason: String) -> PostgresError {
        isAbandoned = true
        return .loss(reason)
    }

    /// Whether the connection cannot be used any more.
    var isLost: Bool { isAbandoned || PQstatus(handle) != CONNECTION_OK }

    /// The version of the server, such as 150018.
    var serverVersion: Int { Int(PQserverVersion(handle)) }

    private var lastMessage: String {
        PQerrorMessage(handle).map { String(cString: $0) }?.split(separator: "\n").joined(separator: "; ") ?? ""
    }

    /// Adds a statement without arguments that the next exchange runs first.
    func later(_ text: String, _ onResult: ((PostgresResult) throws -> Void)? = nil) {
        waiting.add(text, onResult)
    }

    /// Adds a statement with arguments that the next exchange runs first, or runs it now if many bytes wait.
    ///
    /// - Throws: ``DeferredFailure``, from the exchange, if the statement fails, and no later statement of the exchange runs
    ///   then; other errors if the exchange is this one.
    func later(running statement: SQL) throws {
        waiting.add(deferred: statement)
        if waiting.isLarge { try flush() }
    }

    /// Removes the last waiting statement if it is this one.
    func cancelLater(_ text: String) -> Bool {
        waiting.removeLast(text)
    }

    /// Removes the waiting statements.
    func forgetWaiting() {
        _ = waiting.take()
    }

    /// Runs the waiting statements.
    func flush() throws {
        _ = try exchange(nil, within: nil)
    }

    /// Runs the waiting statements, and then one with arguments.
    @discardableResult
    func run(_ statement: SQL, within budget: QueryBudget? = nil) throws -> PostgresResult {
        guard let result = try exchange(statement.built, within: budget) else {
            throw PostgresError.loss("a statement without a result")
        }
        return result
    }

    /// Sends a last statement without waiting for its result, which the next exchange reads.
    func finish(_ text: String) throws {
        waiting.add(text, nil)
        let commands = waiting.take()
        for command in commands { try sendPlain(command.text) }
        try synchronize()
        unread += commands.map { _ in true } + [false]
    }

    private func exchange(
        _ statement: (text: String, values: [[UInt8]?])?,
        within budget: QueryBudget?
    ) throws -> PostgresResult? {
        try readUnread()
        let commands = waiting.take()
        preparing = [:]
        var names: [String?] = []
        for command in commands {
            if command.values == nil { try sendPlain(command.text) }
            names.append(try command.values.flatMap { try send(command.text, $0) })
        }
        let name = try statement.flatMap { try send($0.text, $0.values) }
        try synchronize()
        var failure: (any Error)?
        for (command, name) in zip(commands, names) {
            do {
                let result = try read(of: command.text, preparedAs: name, within: budget)
                try command.onResult?(result)
            } catch {
                let isLoss = (error as? PostgresError)?.isLoss == true
                failure = failure ?? (command.isDeferred && !isLoss ? DeferredFailure(cause: error) : error)
            }
        }
        var last: PostgresResult?
        if let statement {
            do {
                last = try read(of: statement.text, preparedAs: name, within: budget)
            } catch {
                failure = failure ?? error
            }
        }
        try readSync()
        if let failure { throw failure }
        return last
    }

    /// Reads the results of a statement: if it was prepared, first that of the preparation.
    private func read(
        of text: String,
        preparedAs name: String?,
        within budget: QueryBudget?
    ) throws -> PostgresResult {
        guard let name else { return try read(within: budget) }
        let preparation = Result { try read(within: budget) }
        if case .success = preparation { prepared[text] = name }
        let result = Result { try read(within: budget) }
        _ = try preparation.get()
        return try result.get()
    }
}

/// The calls of libpq.
extension PostgresConnection {
    private func sendPlain(_ text: String) throws {
        guard PQsendQueryParams(handle, text, 0, nil, nil, nil, nil, 0) == 1 else { throw loss() }
    }

    /// Sends a statement; returns its name if it is being prepared.
    private func send(_ text: String, _ values: [[UInt8]?]) throws -> String? {
        try values.withTexts { pointers in
            guard text.utf8.count <= PostgresConnection.longestPrepared else {
                guard PQsendQueryParams(handle, text, CInt(values.count), nil, pointers, nil, nil, 0) == 1 else {
                    throw loss()
                }
                return nil
            }
            if let name = prepared[text] ?? preparing[text] {
                guard PQsendQueryPrepared(handle, name, CInt(values.count), pointers, nil, nil, 0) == 1 else {
                    throw loss()
                }
                return nil
            }
            preparedCount += 1
            let name = "s\(preparedCount)"
            preparing[text] = name
            guard PQsendPrepare(handle, name, text, 0, nil) == 1,
                PQsendQueryPrepared(handle, name, CInt(values.count), pointers, nil, nil, 0) == 1
            else { throw loss() }
            return name
        }
    }

    private func synchronize() throws {
        guard PQpipelineSync(handle) == 1 else { throw loss() }
        exchanges += 1
    }

    func loss() -> PostgresError { .loss(lastMessage) }

    /// Reads the result of one command, and the mark after it.
    private func read(within budget: QueryBudget?) throws -> PostgresResult {
        try wait(within: budget)
        guard let pointer = PQgetResult(handle) else { throw loss() }
        let result = PostgresResult(pointer)
        let status = PQresultStatus(pointer)
        // After a result of a command follows a null, also after an error.
        if let extra = PQgetResult(handle) { PQclear(extra) }
        switch status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return result
        case PGRES_PIPELINE_ABORTED: throw PostgresError(state: "25P02", message: "an earlier statement failed")
        default:
            let error = PostgresError(result: pointer)
            throw isLost ? PostgresError.loss(error.message) : error
        }
    }

    /// Reads the end of an exchange.
    private func readSync() throws {
        try wait(within: nil)
        guard let pointer = PQgetResult(handle) else { throw loss() }
        defer { PQclear(pointer) }
        guard PQresultStatus(pointer) == PGRES_PIPELINE_SYNC else { throw loss() }
        // A failed transaction takes no other statements than its end.
        if prepared.count >= PostgresConnection.maxPrepared, PQtransactionStatus(handle) != PQTRANS_INERROR {
            prepared = [:]
            later("DEALLOCATE ALL")
        }
    }

    private func readUnread() throws {
        let commands = unread
        unread = []
        for isCommand in commands {
            if isCommand { _ = try read(within: nil) } else { try readSync() }
        }
    }

    /// Waits until a result is there; cancels the statement once the budget is spent.
    private func wait(within budget: QueryBudget?) throws {
        var isCancelled = false
        var end = patience.map { ContinuousClock.now + $0 }
        while PQisBusy(handle) == 1 {
            guard !isLost else { throw loss() }
            var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
            let ready = poll(&descriptor, 1, budget != nil ? 20 : end == nil && mustCancel == nil ? -1 : 100)
            if ready == 0, !isCancelled, budget?.isSpent == true || mustCancel?() == true {
                isCancelled = true
                cancel()
            }
            if let limit = end, let patience {
                if ready > 0 {
                    end = .now + patience
                } else if limit < .now {
                    throw abandon("no answer for \(patience)")
                }
            }
            if ready > 0, PQconsumeInput(handle) == 0 { throw loss() }
            if ready < 0, errno != EINTR { throw loss() }
        }
    }

    private func cancel() {
        guard let request = PQgetCancel(handle) else { return }
        defer { PQfreeCancel(request) }
        var message = [CChar](repeating: 0, count: 256)
        _ = PQcancel(request, &message, CInt(message.count))
    }
}
