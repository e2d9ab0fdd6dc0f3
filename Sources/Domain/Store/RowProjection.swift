/// The fields of an object that a query reads.
///
/// A store applies it to each row as soon as it has read it, before it measures the row: the other fields neither count
/// towards the size of a reply nor stay in memory.
package struct RowProjection: Sendable {
    /// Removes the members that are not read; `nil` removes all.
    private let cut: (@Sendable (inout RawObject) -> Void)?
    private let readsACL: Bool

    /// Creates a projection that keeps the ACL.
    ///
    /// - Parameter cut: Removes the members that are not read. A second call must change nothing.
    init(_ cut: @escaping @Sendable (inout RawObject) -> Void) {
        self.cut = cut
        readsACL = true
    }

    private init(readsACL: Bool, _ cut: (@Sendable (inout RawObject) -> Void)?) {
        self.cut = cut
        self.readsACL = readsACL
    }

    /// The id and the times alone: rights of callers cannot be checked by such a row, because it has no ACL.
    package static let ids = RowProjection(readsACL: false, nil)

    /// As ``ids``, with the ACL, so that rights of callers can be checked.
    static let acl = RowProjection(readsACL: true, nil)

    /// As ``ids``, with one field.
    package static func value(of field: String) -> RowProjection {
        RowProjection(readsACL: false) { $0.removeAll { $0 != field } }
    }

    /// A row with the fields that are read.
    package func applied(to row: ObjectRow) -> ObjectRow {
        var body = Array("{}".utf8)
        if let cut {
            var object = RawObject(row.body)
            cut(&object)
            body = object.encoded()
        }
        return ObjectRow(
            id: row.id,
            createdAt: row.createdAt,
            updatedAt: row.updatedAt,
            acl: readsACL ? row.acl : nil,
            body: body
        )
    }
}

extension ObjectRow {
    /// The row with the fields that a query reads; `nil` reads all.
    package func reading(_ projection: RowProjection?) -> ObjectRow {
        projection?.applied(to: self) ?? self
    }
}
