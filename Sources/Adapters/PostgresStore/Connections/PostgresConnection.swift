internal import CPostgres
internal import Domain
internal import Glibc

/// One connection to PostgreSQL, always in pipeline mode.
///
/// Every call blocks. Statements whose results are not needed at once, such as `BEGIN`, savepoints and inserted objects,
/// wait and travel with the next one, so that a transaction with one more statement takes one exchange.
///
/// `@unchecked Sendable`: one thread at a time uses a connection. A connection of ``ConnectionPool`` is either idle, in a
/// list behind a lock, or used by the thread that took it. ``ChangeListener`` opens its connection and then leaves it
/// to its one job; ``SessionLocks`` and ``IndexBuilder`` call theirs on a pool of one thread. The connections of
/// ``PostgresFacts`` and ``PostgresLoad`` do not outlive one synchronous call. That of ``PostgresDump`` has one user at a
/// time, because the dump is not `Sendable`.
final class PostgresConnection: @unchecked Sendable {
    /// Gets a result and the number of a row in it; returns whether it wants further rows.
    private typealias RowBody = (PostgresResult, Int) throws -> Bool

    let handle: OpaquePointer
    /// How long the server can be silent while it owes an answer, before the connection counts as lost; `nil` leaves that
    /// to the operating system, which knows only whether the network works.
    var patience: Duration?
    /// Whether the running statement is to be cancelled; asked a few times a second while it runs.
    var mustCancel: (@Sendable () -> Bool)?
    /// The timeline of the database (``TimelineCheck``).
    var timeline = 0
    /// Why the connection counts as lost although libpq does not report it: the server was silent for too long, for
    /// example.
    private var abandonment: String?
    /// Whether a statement failed for a reason that a new connection may not have (``PostgresError/concernsSession``).
    private(set) var isOutdated = false
    private var waiting = WaitingStatements()
    private var prepared = PreparedStatements()
    /// The number of exchanges so far, those included whose results are not read yet.
    private(set) var exchanges = 0
    /// Commands whose results are sent but not read: those of ``finish(_:)``.
    private var unread: [Bool] = []

    /// Connects to a server that is no replica, unless those are accepted, too; prepares the session with the first
    /// exchange, which `begin` runs, also with a statement of its own.
    init(
        _ address: PostgresAddress,
        acceptingReplicas isForReplicas: Bool = false,
        beginning begin: (PostgresConnection) throws -> Void = { try $0.flush() }
    ) throws {
        let options = address.options(acceptingReplicas: isForReplicas)
        let names = options.map { strdup($0.name) }
        let values = options.map { strdup($0.value) }
        defer { for text in names + values { free(text) } }
        let pointers = (names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil])
        guard let handle = PQconnectdbParams(pointers.0, pointers.1, 1) else { throw PostgresError.loss("no memory") }
        self.handle = handle
        guard PQstatus(handle) == CONNECTION_OK else { throw PostgresError.loss(lastMessage) }
        // The default prints each notice of the server on the standard error.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
        guard PQenterPipelineMode(handle) == 1 else { throw PostgresError.loss(lastMessage) }
        for setting in address.settings(ofVersion: serverVersion) {
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
        abandonment = reason
        return .loss(reason)
    }

    /// Whether ``abandon(_:)`` was called: answers that still arrive belong to no statement that waits for them.
    var isAbandoned: Bool { abandonment != nil }

    /// Whether the connection cannot be used any more.
    var isLost: Bool { isAbandoned || PQstatus(handle) != CONNECTION_OK }

    /// Whether a transaction is open, or a result that is not read yet may leave one open.
    var isInTransaction: Bool { !unread.isEmpty || PQtransactionStatus(handle) != PQTRANS_IDLE }

    /// The version of the server, such as 150018.
    var serverVersion: Int { Int(PQserverVersion(handle)) }

    private var lastMessage: String {
        PQerrorMessage(handle).map { String(cString: $0) }?.split(separator: "\n").joined(separator: "; ") ?? ""
    }

    /// Adds a statement without arguments that the next exchange runs first.
    func later(_ text: String, _ onResult: ((PostgresResult) throws -> Void)? = nil) {
        waiting.add(text, onResult)
    }

    /// Adds the statement that waits for the turn, which one transaction of all servers has at a time, until its end.
    ///
    /// `LOCK` takes no snapshot, so that of the next statement contains everything that was committed before.
    func takeTurn() {
        later("LOCK TABLE turn IN EXCLUSIVE MODE")
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

    /// Runs the waiting statements, and undoes the open transaction.
    func rollBack() throws {
        later("ROLLBACK")
        try flush()
    }

    /// Runs the waiting statements, and then one with arguments.
    @discardableResult
    func run(_ statement: SQL, within budget: QueryBudget? = nil) throws -> PostgresResult {
        guard let result = try exchange(statement.built, within: budget) else {
            throw PostgresError.loss("a statement without a result")
        }
        return result
    }

    /// Runs the waiting statements, and then one with arguments whose rows are passed on as they arrive.
    ///
    /// One row at a time is in memory. Once the body has returned `false` or thrown an error, the other rows are read and
    /// dropped.
    func run(_ statement: SQL, within budget: QueryBudget?, passing body: (PostgresResult, Int) throws -> Bool) throws {
        try withoutActuallyEscaping(body) { body in
            _ = try exchange(statement.built, within: budget, passing: body)
        }
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
        within budget: QueryBudget?,
        passing body: RowBody? = nil
    ) throws -> PostgresResult? {
        try readUnread()
        var commands = waiting.take()
        // Here, and not when the last statement is prepared: waiting statements can be forgotten. A failed transaction
        // takes no other statements than its end.
        if prepared.isFull, PQtransactionStatus(handle) != PQTRANS_INERROR {
            prepared.removeAll()
            commands.insert(WaitingStatements.Statement(text: "DEALLOCATE ALL", onResult: nil), at: 0)
        }
        prepared.beginExchange()
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
            // After a failure none of its rows is passed on.
            let none: RowBody = { _, _ in false }
            let body = body == nil || failure == nil ? body : none
            do {
                last = try read(of: statement.text, preparedAs: name, within: budget, passing: body)
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
        within budget: QueryBudget?,
        passing body: RowBody? = nil
    ) throws -> PostgresResult {
        guard let name else { return try read(within: budget, passing: body) }
        let preparation = Result { try read(within: budget) }
        if case .success = preparation { prepared.add(text, name) }
        let result = Result { try read(within: budget, passing: body) }
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
            let count = CInt(values.count)
            switch prepared.use(of: text) {
            case .parsed:
                guard PQsendQueryParams(handle, text, count, nil, pointers, nil, nil, 0) == 1 else { throw loss() }
                return nil
            case .prepared(let name):
                guard PQsendQueryPrepared(handle, name, count, pointers, nil, nil, 0) == 1 else { throw loss() }
                return nil
            case .new(let name):
                guard PQsendPrepare(handle, name, text, 0, nil) == 1,
                    PQsendQueryPrepared(handle, name, count, pointers, nil, nil, 0) == 1
                else { throw loss() }
                return name
            }
        }
    }

    private func synchronize() throws {
        guard PQpipelineSync(handle) == 1 else { throw loss() }
        exchanges += 1
    }

    func loss() -> PostgresError { .loss(abandonment ?? lastMessage) }

    /// Reads the result of one command, and the mark after it.
    ///
    /// With a body the rows are passed to it, and the result has none.
    private func read(within budget: QueryBudget?, passing body: RowBody? = nil) throws -> PostgresResult {
        // Possible only before anything of the result is read.
        if body != nil { _ = PQsetSingleRowMode(handle) }
        var wantsMore = true
        var failure: (any Error)?
        while true {
            try wait(within: budget)
            guard let pointer = PQgetResult(handle) else { throw loss() }
            let result = PostgresResult(pointer)
            let status = PQresultStatus(pointer)
            if let body, status == PGRES_SINGLE_TUPLE || status == PGRES_TUPLES_OK {
                do {
                    for row in 0..<result.count where wantsMore { wantsMore = try body(result, row) }
                } catch {
                    failure = error
                    wantsMore = false
                }
            }
            if status == PGRES_SINGLE_TUPLE { continue }
            // After a result of a command follows a null, also after an error.
            if let extra = PQgetResult(handle) { PQclear(extra) }
            if let failure { throw failure }
            switch status {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return result
            case PGRES_PIPELINE_ABORTED: throw PostgresError(state: "25P02", message: "an earlier statement failed")
            default:
                let error = PostgresError(result: pointer)
                if error.concernsSession { isOutdated = true }
                throw isLost ? PostgresError.loss(error.message) : error
            }
        }
    }

    /// Reads the end of an exchange.
    private func readSync() throws {
        try wait(within: nil)
        guard let pointer = PQgetResult(handle) else { throw loss() }
        defer { PQclear(pointer) }
        guard PQresultStatus(pointer) == PGRES_PIPELINE_SYNC else { throw loss() }
    }

    private func readUnread() throws {
        let commands = unread
        unread = []
        for isCommand in commands {
            if isCommand { _ = try read(within: nil) } else { try readSync() }
        }
    }
}
