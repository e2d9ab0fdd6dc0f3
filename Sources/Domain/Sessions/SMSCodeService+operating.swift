/// What an operator sees of codes, with the master key.
extension SMSCodeService {
    /// A valid code.
    package struct ListedCode: Sendable {
        /// The row.
        package let row: SMSCode
        /// The code itself: only in development (`sms.provider: log`), and of numbers with a fixed code.
        package let code: Secret?
    }

    /// The codes that are valid, the oldest first.
    ///
    /// - Parameters:
    ///   - page: The part of the list.
    ///   - caller: The caller.
    /// - Returns: The codes.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``.
    package func list(_ page: Page, as caller: Caller) async throws -> [ListedCode] {
        try caller.requireMasterKey()
        let isValid = Condition.field(
            FieldPath(field: "expiresAt"),
            .compares(.greater, .date(settings.clock()))
        )
        let rows = try await store.read { try $0.find(ObjectQuery(.smsCode, where: isValid, page: page)) }
        return rows.compactMap(SMSCode.init).map { row in
            let isShown = policy.showsCodes || !policy.sends(to: row.number)
            return ListedCode(row: row, code: isShown ? policy.value(of: row) : nil)
        }
    }
}
