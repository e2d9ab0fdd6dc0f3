/// What the items of an import of an app are for its user.
package enum ItemGroup: Sendable, Hashable, CaseIterable {
    /// An object or a file.
    case object
    /// Members of a relation of one object.
    case relation
    /// A field, the rules of a field, an index or a permission of a class.
    case classSetting

    /// The kinds of class settings in journals.
    static let fields = "schema", fieldRules = "schema rules", indexes = "indexes", permissions = "permissions"
    /// The kind of records of files whose bytes are imported later, which are items of their own.
    static let fileRecords = "_File records"

    /// The group of an item with this kind and name in the journal.
    package init(kind: String, name: String) {
        let settings = [ItemGroup.fields, ItemGroup.fieldRules, ItemGroup.indexes, ItemGroup.permissions]
        if kind.hasPrefix("_Join:") {
            self = .relation
        } else if settings.contains(kind), name.contains(where: { $0 == "." || $0 == ":" }) {
            // A class can have the name of such a kind; an objectId has neither a point nor a colon.
            self = .classSetting
        } else {
            self = .object
        }
    }
}
