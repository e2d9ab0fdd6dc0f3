package import Domain

/// The write-ahead log of a database, for commands that open the database while no server has it open.
package struct OfflineLog {
    private let database: String

    /// The log of a database file; opens nothing.
    package init(of database: String) {
        self.database = database
    }

    /// Compares the log with the mark of the last commit; changes nothing.
    ///
    /// - Returns: The damage; `nil` if there is none.
    /// - Throws: ``OpenFailure`` if a file cannot be read.
    package func damage() throws(OpenFailure) -> DamagedLog? {
        do {
            switch try LostCommits.look(at: database) {
            case .none: return nil
            case .damagedCopy: return .copied
            case .lost(let reason): return .lost(reason)
            }
        } catch {
            throw OpenFailure(message: "cannot be compared with its commit mark (\(error))")
        }
    }

    /// Throws if the log is damaged: SQLite would remove it when it closes a database that it can change.
    ///
    /// - Throws: ``OpenFailure``.
    func refuseDamage() throws(OpenFailure) {
        guard let damage = try damage() else { return }
        throw OpenFailure(message: damage.advice, isDamage: true)
    }

    /// Gives a damaged log another name, after the database was found to contain all of it (``DamagedLog/copied``).
    ///
    /// - Returns: The new path.
    /// - Throws: ``OpenFailure``.
    package func moveAside() throws(OpenFailure) -> String {
        do {
            return try LogRescue(database: database, acceptsLoss: false, health: StorageHealth()).moveAside()
        } catch {
            throw OpenFailure(message: "has a damaged write-ahead log that cannot be moved (\(error))")
        }
    }
}
