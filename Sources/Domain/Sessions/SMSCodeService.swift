/// Sends codes by SMS, and does what the codes are for (protocol/data 6.4, docs/accounts.md).
package struct SMSCodeService: Sendable {
    let store: any ObjectStore
    let settings: ObjectSettings
    /// What the app does with SMS.
    let policy: SMSPolicy
    /// Checks the proofs of solved captchas; `nil` if no SMS needs one.
    let captchas: CaptchaService?

    var accounts: AccountDependencies { settings.accountDependencies }
    var country: String { accounts.settings.countryCode }

    /// Creates the service; `nil` if the server sends no SMS.
    ///
    /// - Parameters:
    ///   - store: The app's store.
    ///   - settings: The settings of objects, accounts and SMS.
    ///   - captchas: Checks the proofs of solved captchas; `nil` if no SMS needs one.
    package init?(store: any ObjectStore, settings: ObjectSettings, captchas: CaptchaService? = nil) {
        guard let policy = settings.sms else { return nil }
        self.policy = policy
        self.store = store
        self.settings = settings
        self.captchas = captchas
    }

    /// Sends an SMS with a code for anything that the app decides, or one of the operator's templates: `requestSmsCode`.
    ///
    /// - Throws: Codes 1, 119, 127, 212, 601, 604, 608.
    package func sendCode(_ body: [String: JSONValue], as caller: Caller) async throws {
        let content = try SMSContent(body, ownSign: policy.settings.sign)
        let order = SMSOrder(
            purpose: .generic,
            number: try number(in: body),
            content: content,
            lifetime: try lifetime(in: body) ?? policy.settings.codeLifetime,
            hasCode: try policy.templates.hasCode(content)
        )
        try await send(order, body, as: caller) { $0 }
    }

    /// Sends a user a code: for a log-in, to verify the number, or to reset the password.
    ///
    /// With `accounts.hideUnknownUsers` an unknown number gets the same answer, after the same steps.
    ///
    /// - Throws: Codes 119, 127, 212, 213, 215, 601, 608.
    package func sendCode(
        for purpose: SMSPurpose,
        _ body: [String: JSONValue],
        as caller: Caller
    ) async throws {
        let order = SMSOrder(
            purpose: purpose,
            number: try number(in: body),
            content: SMSContent(purpose),
            lifetime: try lifetime(in: body) ?? policy.settings.codeLifetime
        )
        let hides = accounts.settings.hidesUnknownUsers
        let needsVerified = purpose == .logIn && accounts.settings.requiresVerifiedPhone
        try await send(order, body, as: caller) { [self] order, reader in
            var order = order
            let user = try self.user(with: order.number, in: reader)
            guard user != nil || hides else {
                throw ServiceError(.phoneNotFound, "Could not find user with this mobile phone number.")
            }
            let isVerified = user?.isVerified(.phone) == true
            if needsVerified, !isVerified {
                guard hides else { throw SMSCodeService.unverified }
                order.isEmpty = true
            }
            if purpose == .verifyPhone, isVerified {
                guard hides else { return nil }
                order.isEmpty = true
            }
            if user == nil { order.isEmpty = true }
            order.user = order.isEmpty ? nil : user?.id
            return order
        }
    }

    /// Sends a code to the number that the caller wants to have: `requestChangePhoneNumber`.
    ///
    /// - Throws: Codes 119, 127, 206, 212, 214, 601, 608.
    package func sendChangeCode(_ body: [String: JSONValue], as caller: Caller) async throws {
        guard let user = caller.user?.id else { throw Caller.noSession }
        let order = SMSOrder(
            purpose: .changePhone,
            number: try number(in: body),
            user: user,
            content: SMSContent(.changePhone),
            // Flutter's SDK sends seconds (protocol/data 6.4).
            lifetime: try lifetime(in: body, allowingSeconds: true) ?? policy.settings.codeLifetime
        )
        try await send(order, body, as: caller) { [self] order, reader in
            if let owner = try self.user(with: order.number, in: reader), owner.id != user {
                throw AccountName.phone.taken
            }
            return order
        }
    }

    /// Queues an SMS, within the limits, after the checks that need the store.
    private func send(
        _ order: SMSOrder,
        _ body: [String: JSONValue],
        as caller: Caller,
        _ check: @escaping @Sendable (SMSOrder, any WriteTransaction) throws -> SMSOrder?
    ) async throws {
        try policy.requireSending(to: order.number)
        let proof = try captchas?.proof(in: body, by: caller)
        let taken = TakenMessages(policy.allowance.messages)
        // The client's allowance stays used for an unknown number, so that numbers cannot be tried without a limit.
        if policy.sends(to: order.number) { try taken.take(to: order.number.description, by: caller) }
        let hides = accounts.settings.hidesUnknownUsers
        do {
            let isQueued = try await store.write { [settings, policy] writer in
                if let proof { try writer.useUp(proof, at: settings.clock()) }
                guard let checked = try check(order, writer) else { return false }
                try writer.queueSMS(checked, policy, ids: settings.ids, at: settings.clock())
                return !checked.isEmpty
            }
            if !isQueued { taken.giveBackUnsent(hides: hides) }
        } catch let error as ServiceError where SMSCodeService.isAboutUsers(error.code) {
            taken.giveBackUnsent(hides: hides)
            throw error
        } catch {
            taken.startOver()
            throw error
        }
    }

    private func send(
        _ order: SMSOrder,
        _ body: [String: JSONValue],
        as caller: Caller,
        _ check: @escaping @Sendable (SMSOrder) throws -> SMSOrder?
    ) async throws {
        try await send(order, body, as: caller) { order, _ in try check(order) }
    }

    /// Whether an error tells something of the users of an app.
    private static func isAboutUsers(_ code: ServiceError.Code) -> Bool {
        [.phoneNotFound, .phoneNotVerified, .phoneTaken].contains(code)
    }

    /// The number in a body; throws codes 127 and 212.
    func number(in body: [String: JSONValue]) throws -> PhoneNumber {
        guard let text = body[AccountName.phone.rawValue]?.stringValue, !text.isEmpty else {
            throw ServiceError(.missingPhone, "The mobile phone number is missing.")
        }
        return try PhoneNumber(text, country: country)
    }

    /// The life of a code in seconds that a body asks for in minutes; `nil` if it does not.
    private func lifetime(in body: [String: JSONValue], allowingSeconds: Bool = false) throws -> Int? {
        let longest = SMSSettings.maxMinutes
        let number: Int64?
        switch body["ttl"] {
        case nil, .null: return nil
        case .string(let text): number = Int64(text)
        case let value: number = value?.integerValue
        }
        guard let number, number >= 1, number <= longest * (allowingSeconds ? 60 : 1) else {
            throw ServiceError(.badRequest, "ttl must be from 1 to \(longest), in minutes.")
        }
        return Int(number) * (number > longest ? 1 : 60)
    }

    /// The user with a number, in either spelling.
    func user(with number: PhoneNumber, in reader: any ReadTransaction) throws -> StoredObject? {
        try reader.users(.phone, number.description, settings).first?.object()
    }

    /// The error for a user with an unverified number, if the app lets only others log in by their number.
    static let unverified = ServiceError(
        .phoneNotVerified,
        "The mobile phone number is not verified; verify it by a code first."
    )

    static let wrongCode = ServiceError(.codeMismatch, "Invalid SMS code: it is wrong, used, or has ended.")
}
