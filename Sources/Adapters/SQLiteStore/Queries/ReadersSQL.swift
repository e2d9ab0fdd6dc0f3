internal import Domain
internal import GRDB

extension QueryFunctions {
    /// A condition that holds for rows that the readers may see, and the number of what it registered.
    ///
    /// Most ACLs open reading to everybody and, in canonical text, begin by saying so; the others are looked at by Domain.
    func readable(by subjects: Subjects) -> (sql: SQL, number: Int64) {
        let number = register(subjects)
        let sql: SQL = """
            (acl IS NULL OR substr(acl, 1, \(Self.everybody.utf8.count)) = \(Self.everybody) \
            OR lcfile_readable(\(number), acl))
            """
        return (sql, number)
    }

    private static let everybody = #"{"*":{"read":true"#
}
