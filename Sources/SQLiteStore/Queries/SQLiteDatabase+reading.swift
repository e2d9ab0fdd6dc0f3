internal import GRDB
internal import Glibc
internal import NIOPosix

extension SQLiteDatabase {
    /// How nice threads of slow queries are: everything else in the server is answered in less time than they take, except
    /// images, which are nicer still.
    private static let slowNiceness: CInt = 5

    /// Runs a read in a snapshot of its own, on a thread of lower priority if it is slow.
    func read<Result: Sendable>(
        isSlow: Bool,
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        guard isSlow, let slowReads else { return try await pool.read(body) }
        return try await slowReads.runIfActive { [pool] in
            // On Linux a priority belongs to a thread, and 0 names the calling one, where GRDB also runs the body. Only ever
            // nicer, so nothing refuses it.
            _ = setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, SQLiteDatabase.slowNiceness)
            return try pool.read(body)
        }
    }
}
