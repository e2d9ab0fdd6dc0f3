/// What the codes in SMS are for.
extension SMSCodeService {
    /// Checks a code of `requestSmsCode`, and uses it up: `verifySmsCode`.
    ///
    /// - Throws: Codes 119, 127, 212, 429, 603.
    package func verify(_ code: String, _ body: [String: JSONValue], as caller: Caller) async throws {
        try await use(code, for: [.generic], to: try number(in: body), as: caller) { _, _ in () }
    }

    /// Verifies the number of the user to whom a code was sent: `verifyMobilePhone`.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - body: Has the number; without it, the number is that of the caller, whom older SDKs mean.
    ///   - caller: The caller.
    /// - Returns: Id and time of the user.
    /// - Throws: Codes 119, 127, 212, 429, 603.
    package func verifyPhone(
        _ code: String,
        _ body: [String: JSONValue],
        as caller: Caller
    ) async throws -> ObjectReply {
        let number = try await self.number(in: body, orOf: caller)
        return try await use(code, for: [.verifyPhone], to: number, as: caller) { code, rules in
            let user = try owner(of: code, rules) { $0.verify(.phone) }
            return ObjectReply(updated: user)
        }
    }

    /// Logs a user in by a code.
    ///
    /// - Returns: The user with its token.
    /// - Throws: Codes 119, 127, 212, 215, 429, 603.
    package func logIn(_ body: [String: JSONValue], as caller: Caller) async throws -> ObjectReply {
        try await use(try code(in: body), for: [.logIn], to: try number(in: body), as: caller) { code, rules in
            try welcome(code, rules)
        }
    }

    /// Logs the user of a number in, or creates one: `usersByMobilePhone`.
    ///
    /// - Parameters:
    ///   - body: Has the number and the code, and the fields of a new user.
    ///   - caller: The caller.
    ///   - objects: Does the slow steps of a sign-up, such as hashing a password.
    /// - Returns: The user with its token; a new user is `created`.
    /// - Throws: Codes 119, 127, 212, 429, 603, and those of a sign-up.
    package func signUpOrLogIn(
        _ body: [String: JSONValue],
        as caller: Caller,
        preparedBy objects: ObjectService
    ) async throws -> ObjectReply {
        let (number, code) = (try number(in: body), try code(in: body))
        try accounts.requestLimits.takeLogIn(by: caller)
        let change = try await signUp(of: number, code, body, as: caller, objects)
        return try await use(code, for: SMSPurpose.signingUp, to: number, as: caller, isCounted: true) { code, rules in
            guard try user(with: number, in: rules.writer) == nil, let change else { return try welcome(code, rules) }
            return try rules.signUp(try named(change, rules), onlyKnown: false, hasProvenPhone: true)
        }
    }

    /// Sets a new password: `resetPasswordBySmsCode`; sessions end if the settings say so.
    ///
    /// - Throws: Codes 119, 127, 201, 212, 218, 429, 603.
    package func resetPassword(_ code: String, _ body: [String: JSONValue], as caller: Caller) async throws {
        let new = try Password(body["password"], limit: accounts.settings.maxPasswordLength)
        let number = try await self.number(in: body, orOf: caller)
        try accounts.requestLimits.takeLogIn(by: caller)
        // No password is hashed for a wrong code.
        try await compare(code, for: [.resetPassword], to: number)
        let hash = try await accounts.hasher.hash(new, for: caller.identityByAddress)
        try await use(code, for: [.resetPassword], to: number, as: caller, isCounted: true) { code, rules in
            // The code was sent to the present number, so its use proves the same as that of one that verifies.
            let user = try owner(of: code, rules) { user in
                user.fields[PasswordHash.field] = .string(hash.text)
                user.verify(.phone)
            }
            try rules.writer.voidMails(of: [user.id])
            try rules.writer.voidSMS(of: [user.id])
            if rules.settings.accountSettings.endsSessions { try rules.writer.endSessions(of: user.id) }
        }
    }

    /// Gives the caller the number to which a code was sent: `changePhoneNumber`.
    ///
    /// - Returns: The changed fields of the user.
    /// - Throws: Codes 119, 127, 206, 212, 214, 429, 603.
    package func changePhone(_ body: [String: JSONValue], as caller: Caller) async throws -> ObjectReply {
        guard let id = caller.user?.id else { throw Caller.noSession }
        let (number, text) = (try number(in: body), try code(in: body, "code"))
        let stored = self.stored(body, number)
        return try await use(text, for: [.changePhone], to: number, as: caller) { code, rules in
            guard code.user == id, rules.access.caller.user?.id == id else { throw SMSCodeService.wrongCode }
            let before = try ObjectWriteRules.own(id, in: rules.writer, rules.access).object()
            if let owner = try user(with: number, in: rules.writer), owner.id != id { throw AccountName.phone.taken }
            var user = before
            user.fields[AccountName.phone.rawValue] = .string(stored)
            user.verify(.phone)
            user.touch(at: settings.clock())
            try rules.writer.update(user, in: .user, from: before)
            try rules.writer.voidSMS(of: [id])
            return ObjectReply(
                updated: user,
                [AccountName.phone.rawValue: .string(stored), AccountName.phoneVerified: .bool(true)]
            )
        }
    }

    /// Compares a code, uses it up and does what it is for, in one transaction; a wrong code counts.
    private func use<Reply: Sendable>(
        _ text: String,
        for purposes: [SMSPurpose],
        to number: PhoneNumber,
        as caller: Caller,
        isCounted: Bool = false,
        _ body: @escaping @Sendable (SMSCode, ObjectWriteRules) throws -> Reply
    ) async throws -> Reply {
        if !isCounted { try accounts.requestLimits.takeLogIn(by: caller) }
        let reply: Reply? = try await store.write(as: caller, by: settings) { rules in
            let now = rules.settings.clock()
            guard let code = try rules.writer.compareSMSCode(text, for: purposes, to: number, policy, at: now) else {
                // The count of the wrong code is committed.
                return nil
            }
            try rules.writer.useUp(code)
            return try body(code, rules)
        }
        guard let reply else { throw SMSCodeService.wrongCode }
        return reply
    }

    /// Compares a code before a slow step; a wrong code counts.
    ///
    /// The log-in is counted already.
    private func compare(
        _ text: String,
        for purposes: [SMSPurpose],
        to number: PhoneNumber
    ) async throws {
        let code = try await store.write { [settings, policy] writer in
            try writer.compareSMSCode(text, for: purposes, to: number, policy, at: settings.clock())
        }
        guard code != nil else { throw SMSCodeService.wrongCode }
    }

    /// Changes the user to whom a code was sent, who must still have the number.
    @discardableResult
    private func owner(
        of code: SMSCode,
        _ rules: ObjectWriteRules,
        _ change: (inout StoredObject) -> Void
    ) throws -> StoredObject {
        guard let before = try user(with: code.number, in: rules.writer), before.id == code.user else {
            throw SMSCodeService.wrongCode
        }
        var user = before
        change(&user)
        guard user != before else { return before }
        user.touch(at: settings.clock())
        try rules.writer.update(user, in: .user, from: before)
        return user
    }

    /// Logs in the user who has the number of a code; the number is verified then.
    private func welcome(_ code: SMSCode, _ rules: ObjectWriteRules) throws -> ObjectReply {
        guard let before = try user(with: code.number, in: rules.writer), code.user == nil || code.user == before.id,
            let schema = try rules.writer.schema(of: .user)
        else { throw SMSCodeService.wrongCode }
        let isVerified = before.isVerified(.phone)
        // A code of requestLoginSmsCode can be older than the setting.
        guard isVerified || code.purpose == .generic || !accounts.settings.requiresVerifiedPhone else {
            throw SMSCodeService.unverified
        }
        var user = before
        if !isVerified {
            user.verify(.phone)
            user.touch(at: settings.clock())
            try rules.writer.update(user, in: .user, from: before)
        }
        return try rules.welcome(ObjectRow(user), in: schema)
    }

    /// The fields of the new user of a number, with their slow steps done; `nil` if a user has the number.
    private func signUp(
        of number: PhoneNumber,
        _ code: String,
        _ body: [String: JSONValue],
        as caller: Caller,
        _ objects: ObjectService
    ) async throws -> ObjectChange? {
        guard try await store.read({ try user(with: number, in: $0) }) == nil else { return nil }
        var fields = body.filter { !SMSCodeService.control.contains($0.key) }
        // Its empty password is that of a user without one (protocol/data 6.4).
        if [.null, .string("")].contains(fields["password"]) { fields["password"] = nil }
        if fields["password"] != nil { try await compare(code, for: SMSPurpose.signingUp, to: number) }
        fields[AccountName.phone.rawValue] = .string(stored(body, number))
        let change = try ObjectChange(.object(fields), allowsPaths: false)
        let preparation = AccountPreparation(store: store, settings: settings, caller: caller, isCounted: true)
        return try await objects.prepared(change, of: nil, by: preparation)
    }

    /// The change with the number as username, as on LeanCloud, unless it has one or another user has that.
    private func named(_ change: ObjectChange, _ rules: ObjectWriteRules) throws -> ObjectChange {
        let field = AccountName.username.rawValue
        guard !change.fields.contains(field), let name = change.value(of: AccountName.phone.rawValue)?.stringValue,
            try rules.writer.users(.username, name, settings).isEmpty
        else { return change }
        var change = change
        change.set(field, to: .string(name))
        return change
    }

    /// The number as it is stored: as the client wrote it if it is found by that, so that the client reads it back.
    private func stored(_ body: [String: JSONValue], _ number: PhoneNumber) -> String {
        let text = body[AccountName.phone.rawValue]?.stringValue ?? ""
        return (try? AccountName.phone.stored(text, country: country)) ?? number.description
    }

    private func code(in body: [String: JSONValue], _ name: String = "smsCode") throws -> String {
        switch body[name] {
        case .string(let text): return text
        // Some clients send the digits as a number.
        case .integer(let value):
            let text = String(value)
            return String(repeating: "0", count: max(0, SMSSecret.digits - text.count)) + text
        default: throw SMSCodeService.wrongCode
        }
    }

    /// The number in a body, or that of the caller.
    private func number(in body: [String: JSONValue], orOf caller: Caller) async throws -> PhoneNumber {
        guard [nil, .null].contains(body[AccountName.phone.rawValue]), let id = caller.user?.id else {
            return try number(in: body)
        }
        let user = try await store.read { try $0.object(id, in: .user) }
        return try number(in: user?.fields ?? [:])
    }

    /// Members of `usersByMobilePhone` that are no fields of the user.
    private static let control: Set<String> = ["smsCode", "validate_token"]
}
