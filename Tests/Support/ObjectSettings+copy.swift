package import Domain

extension ObjectSettings {
    /// The same settings but for some of them.
    package func copy(
        hasMirror: Bool? = nil,
        trash: TrashSettings? = nil,
        clock: (@Sendable () -> Timestamp)? = nil
    ) -> ObjectSettings {
        ObjectSettings(
            limits: limits,
            queries: queries,
            files: files,
            accountDependencies: accountDependencies,
            nameLength: nameLength,
            masterNameLength: masterNameLength,
            hasMirror: hasMirror ?? self.hasMirror,
            trash: trash ?? self.trash,
            mail: mail,
            people: people,
            sms: sms,
            transactionTime: transactionTime,
            ids: ids,
            clock: clock ?? self.clock
        )
    }
}
