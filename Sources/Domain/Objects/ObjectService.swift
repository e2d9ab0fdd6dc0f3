internal import Synchronization

/// The settings and dependencies of the object rules, apart from the store.
///
/// A class, because each read and change passes it on several times, and it has dozens of references to count.
package final class ObjectSettings: Sendable {
    /// The limits of objects and classes.
    package let limits: ObjectLimits
    /// The limits of queries.
    package let queries: QueryLimits
    /// The presentation of file records.
    package let files: FilePresentation
    /// The settings, services and caches of accounts.
    package let accountDependencies: AccountDependencies
    /// The settings of accounts.
    var accountSettings: AccountSettings { accountDependencies.settings }
    /// The maximum length of a file's name in bytes of UTF-8.
    package let nameLength: Int
    /// The same with the master key, if it is greater.
    package let masterNameLength: Int
    /// Whether the app has a mirror, so that records of files can exist before their bytes.
    package let hasMirror: Bool
    /// How long deleted files stay in the trash.
    package let trash: TrashSettings
    /// What the app does with mails; `nil` if the server sends none.
    package let mail: MailPolicy?
    /// The limits of relations and feeds.
    package let people: PeopleLimits
    /// What the app does with SMS; `nil` if the server sends none.
    package let sms: SMSPolicy?
    /// The processor time in which a `batch/save` or the deletion of several objects can add changes to its transaction.
    package let transactionTime: Duration
    /// Generates object ids.
    package let ids: ObjectIDGenerator
    /// Returns the current time.
    package let clock: @Sendable () -> Timestamp
    /// Whether users can have identities that are not stored (``ObjectService/addMissingIdentities()``).
    let missesIdentities = Atomic(false)

    /// Creates settings; tests pass their own clock and ids.
    package init(
        limits: ObjectLimits = ObjectLimits(),
        queries: QueryLimits = QueryLimits(),
        files: FilePresentation,
        accountDependencies: AccountDependencies,
        nameLength: Int = 255,
        masterNameLength: Int = 4096,
        hasMirror: Bool = false,
        trash: TrashSettings = TrashSettings(),
        mail: MailPolicy? = nil,
        people: PeopleLimits = PeopleLimits(),
        sms: SMSPolicy? = nil,
        transactionTime: Duration = .seconds(2),
        ids: ObjectIDGenerator = ObjectIDGenerator(),
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.limits = limits
        self.queries = queries
        self.files = files
        self.accountDependencies = accountDependencies
        self.nameLength = nameLength
        self.masterNameLength = masterNameLength
        self.hasMirror = hasMirror
        self.trash = trash
        self.mail = mail
        self.people = people
        self.sms = sms
        self.transactionTime = transactionTime
        self.ids = ids
        self.clock = clock
    }
}

/// Reads and changes one app's objects (protocol/data 2 to 4).
package struct ObjectService: Sendable {
    let store: any ObjectStore
    let settings: ObjectSettings
    /// Decides when each query runs.
    package let admission: QueryAdmission

    /// Creates the service for an app's store.
    ///
    /// - Parameters:
    ///   - store: The app's objects.
    ///   - settings: The rules' settings and dependencies.
    ///   - admission: Decides when each query runs.
    package init(
        store: any ObjectStore,
        settings: ObjectSettings,
        admission: QueryAdmission = QueryAdmission()
    ) {
        self.store = store
        self.settings = settings
        self.admission = admission
    }

    /// Creates the built-in classes that apps use like their own; call it once, before the first request.
    package func prepare() async throws {
        try await store.write { try $0.prepareOrdinaryClasses() }
    }

    /// Performs one command.
    ///
    /// When it returns, a change survives a power cut.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - caller: The caller.
    ///   - presence: Cancels slow queries when the client disconnects; without it they run to their end.
    /// - Returns: The reply.
    /// - Throws: ``ServiceError`` with the matching code of protocol/data 6, `CancellationError` if the client has
    ///   disconnected.
    package func perform(
        _ command: ObjectCommand,
        as caller: Caller,
        presence: (any CallerPresence)? = nil
    ) async throws -> ObjectReply {
        // A read of one row is always fast, and needs no budget.
        if command.isLookUp { return try await lookUp(command, as: caller) }
        return try await perform(command, as: caller, within: budget(presence))
    }

    private func lookUp(_ command: ObjectCommand, as caller: Caller) async throws -> ObjectReply {
        try await store.lookUp { [settings] reader in
            try ObjectReadRules(reader: reader, caller: caller, settings: settings).perform(command)
        }
    }

    func perform(
        _ command: ObjectCommand,
        as caller: Caller,
        within budget: QueryBudget
    ) async throws -> ObjectReply {
        if command.isLookUp { return try await lookUp(command, as: caller) }
        guard !command.isRead else {
            return try await reading(as: caller, within: budget) { try $0.perform(command) }
        }
        return try await change(try await prepared(command, as: caller, within: budget), as: caller, within: budget)
    }

    /// Performs a prepared change.
    func change(
        _ command: ObjectCommand,
        as caller: Caller,
        within budget: QueryBudget
    ) async throws -> ObjectReply {
        try await write(under: command.guarded.map { [$0] } ?? [], as: caller, within: budget) {
            try $0.perform(command)
        }
    }

    /// One page of a scan of a class.
    ///
    /// - Throws: ``ServiceError/Code/masterKeyRequired`` for every caller but the master key.
    package func scan(
        _ scan: Scan,
        of name: ClassName,
        view: ObjectView,
        as caller: Caller,
        presence: (any CallerPresence)? = nil
    ) async throws -> ScanPage {
        try caller.requireMasterKey()
        return try await reading(as: caller, within: budget(presence)) {
            try $0.scan(scan, of: name, view: view)
        }
    }

    /// The command with its slow steps done: passwords are hashed, sub-queries of conditions are replaced by their
    /// results.
    ///
    /// Inside the transaction these steps would block all writers and could not be cancelled.
    func prepared(
        _ command: ObjectCommand,
        as caller: Caller,
        within budget: QueryBudget
    ) async throws -> ObjectCommand {
        var command = command
        if command.className == .user, let change = command.change {
            let preparation = AccountPreparation(
                store: store,
                settings: settings,
                caller: caller,
                mustExist: command.mustExist
            )
            command = command.with(change: try await prepared(change, of: command.changed, by: preparation))
        }
        // After the password, whose own limit has the clearer message.
        if let change = command.change {
            try await requireSize(of: change, to: command.changed, in: command.className, by: caller)
        }
        guard let condition = command.condition, condition.hasSubqueries else { return command }
        return command.with(
            condition: try await resolved(condition, of: command.className, as: caller, within: budget, isAlone: true)
        )
    }

    /// Throws ``ServiceError/Code/objectTooLarge`` for values larger than any object, before they delay other changes.
    func requireSize(of change: ObjectChange, to id: ObjectID?, in name: ClassName, by caller: Caller) async throws {
        guard !change.fits(settings.limits.largestObject(of: caller).size) else { return }
        var formerSize: Int?
        if let id { formerSize = try await store.read { try $0.row(id, in: name)?.size } }
        let limit = settings.limits.largestObject(of: caller, instead: formerSize ?? 0)
        guard !change.fits(limit.size) else { return }
        throw ServiceError(
            .objectTooLarge,
            "The change has more than four times the bytes of an object; the limit of an object is \(limit.size) "
                + "(\(limit.setting))."
        )
    }

    /// The condition with its sub-queries replaced by their results.
    ///
    /// - Parameters:
    ///   - condition: The condition.
    ///   - name: The class of the objects.
    ///   - caller: The caller.
    ///   - budget: The budget of the request.
    ///   - isAlone: Whether the request keeps no other condition at this time; otherwise the results of all count
    ///     together.
    /// - Returns: The condition.
    /// - Throws: ``ServiceError/Code/malformedJSON`` for more results than ``SubqueryMemory/limit``, and errors of
    ///   queries.
    func resolved(
        _ condition: Condition,
        of name: ClassName,
        as caller: Caller,
        within budget: QueryBudget,
        isAlone: Bool = false
    ) async throws -> Condition {
        let (resolved, bytes) = try await reading(as: caller, within: budget) { rules in
            let resolver = ConditionResolver(reader: rules.reader, access: rules.access)
            let resolved = try resolver.resolve(condition, in: rules.reader.schema(of: name))
            return (resolved, resolver.memory.bytes)
        }
        // After the read, whose body can run several times.
        if !isAlone { try budget.conditions.add(bytes) }
        return resolved
    }

    /// Runs changes in one transaction; evaluates slow conditions before it, and again if their objects have changed by
    /// then.
    ///
    /// - Throws: Errors of the body; ``CostlyCondition/refusal``; ``ServiceError/Code/overloaded`` if the objects
    ///   change at each attempt.
    func write<Reply: Sendable>(
        under conditions: [GuardedChange],
        as caller: Caller,
        within budget: QueryBudget,
        _ body: @escaping @Sendable (ObjectWriteRules) throws -> Reply
    ) async throws -> Reply {
        var evaluations: [Pointer: [ConditionCheck.Evaluation]] = [:]
        var refusal: ServiceError?
        for _ in 0..<ObjectService.maxAttempts {
            do {
                return try await store.write(as: caller, by: settings, knowing: evaluations, body)
            } catch let costly as CostlyCondition {
                refusal = costly.refusal
                if costly.isLarge, let refusal { throw refusal }
                evaluations = try await reading(as: caller, within: budget) { try $0.evaluations(on: conditions) }
            }
        }
        throw refusal
            ?? ServiceError(
                .overloaded,
                "An object under a condition was changed each time that the condition had been checked. Try again."
            )
    }

    private static let maxAttempts = 5

    /// A new budget for the queries of one request.
    func budget(_ presence: (any CallerPresence)?) -> QueryBudget {
        QueryBudget(seconds: settings.queries.timeout, presence: presence)
    }

    /// Runs a read within a budget, once admission allows it.
    func reading<Value: Sendable>(
        as caller: Caller,
        within budget: QueryBudget,
        _ body: @escaping @Sendable (ObjectReadRules) throws -> Value
    ) async throws -> Value {
        try await withTaskCancellationHandler {
            try await admission.run(as: caller.identity, within: budget) {
                try await store.read(within: budget) { [settings] reader in
                    try body(ObjectReadRules(reader: reader, caller: caller, settings: settings))
                }
            }
        } onCancel: {
            budget.cancel()
        }
    }
}
