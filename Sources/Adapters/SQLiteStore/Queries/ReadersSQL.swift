internal import Domain
internal import GRDB

extension QueryFunctions {
    /// A condition for rows that the subjects are allowed to read, and the number under which it is registered.
    ///
    /// Most ACLs grant everyone read access and, in canonical text, begin with that entry; Domain evaluates the others.
    func readable(by subjects: Subjects) -> (sql: SQL, number: Int64) {
        let number = register(subjects)
        let sql: SQL = """
            (acl IS NULL OR substr(acl, 1, \(Self.everyonePrefix.utf8.count)) = \(Self.everyonePrefix) \
            OR lcfile_readable(\(number), acl))
            """
        return (sql, number)
    }

    private static let everyonePrefix = #"{"*":{"read":true"#
}
