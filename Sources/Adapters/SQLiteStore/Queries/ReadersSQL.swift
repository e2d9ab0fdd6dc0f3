internal import Domain
internal import GRDB

extension QueryFunctions {
    /// A condition for rows that the subjects are allowed to read, and the number under which it is registered.
    func readable(by subjects: Subjects) -> (sql: SQL, number: Int64) {
        let number = register(subjects)
        // One call, also for rows without an ACL: reading the column takes longer than the call.
        return ("lcfile_readable(\(number), acl)", number)
    }
}
