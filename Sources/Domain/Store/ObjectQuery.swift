/// A query with resolved conditions, as a store takes it.
package struct ObjectQuery: Sendable {
    /// The class.
    package var className: ClassName
    /// The condition that objects must match.
    package var condition: Condition
    /// The ACL entries of the reader: objects that it is not allowed to read are not found.
    package var readers: Readers
    /// The sort keys; without keys, and without a circle in the condition, objects come in order of their creation.
    package var order: [SortKey]
    /// The part of the result list to return.
    package var page: Page
    /// The maximum size of the objects' JSON in bytes; at least one object is returned.
    package var replySize: Int
    /// The fields that are read of each object and count towards the size; `nil` reads all.
    ///
    /// The condition and the order can have any field.
    package var projection: RowProjection?

    /// Creates a query from its parts.
    package init(
        _ className: ClassName,
        where condition: Condition = .always,
        readableBy readers: Readers = .unrestricted,
        order: [SortKey] = [],
        page: Page = .first,
        replySize: Int = .max,
        reading projection: RowProjection? = nil
    ) {
        self.className = className
        self.condition = condition
        self.readers = readers
        self.order = order
        self.page = page
        self.replySize = replySize
        self.projection = projection
    }
}
