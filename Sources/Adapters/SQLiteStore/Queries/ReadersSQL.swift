internal import Domain
internal import GRDB

extension QueryFunctions {
    /// A condition that holds for rows that the readers may see, and the number of what it registered.
    ///
    /// Most ACLs open reading to everyone and, in canonical text, begin by saying so; the others are looked at by
    /// Domain.
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
