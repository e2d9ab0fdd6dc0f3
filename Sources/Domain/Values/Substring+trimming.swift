extension Substring {
    /// The string without spaces at its ends.
    var trimmed: Substring {
        let rest = drop { $0 == " " }
        guard let last = rest.lastIndex(where: { $0 != " " }) else { return "" }
        return rest[...last]
    }
}
