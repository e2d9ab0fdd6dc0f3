internal import FileClient

/// Objects of any class as lines of a table, with a column for each field that one of them has.
struct ObjectTable {
    /// Whether there is a header, and long values are cut.
    let isForPeople: Bool
    let style: Style

    /// The widest value for people.
    private static let width = 40

    /// The lines of the objects, with the header before them.
    func lines(_ objects: [JSON]) -> [String] {
        let names = ObjectTable.columns(of: objects)
        guard !names.isEmpty else { return [] }
        let rows = objects.map { object in names.map { cell(object[$0]) } }
        guard isForPeople else { return Table.lines(rows) }
        let lines = Table.lines([names.map(Terminal.printable)] + rows)
        return lines.prefix(1).map(style.bold) + lines.dropFirst()
    }

    /// The names of all fields: first the id, then the class's own in order, then the times.
    static func columns(of objects: [JSON]) -> [String] {
        let names = Set(objects.flatMap { $0.members?.keys.map(\.self) ?? [] })
        let (first, last) = (["objectId"], ["createdAt", "updatedAt"])
        return first.filter(names.contains) + names.subtracting(first + last).sorted() + last.filter(names.contains)
    }

    private func cell(_ value: JSON?) -> String {
        let text = Terminal.printable(ObjectTable.text(of: value))
        guard !text.isEmpty else { return "-" }
        return isForPeople ? Columns.shortened(text, to: ObjectTable.width) : text
    }

    /// A value on one line: dates as their times, pointers and files by class and id, other values as JSON.
    static func text(of value: JSON?) -> String {
        guard let value else { return "" }
        if let text = value.string { return text }
        switch value["__type"]?.string {
        case "Date": return value["iso"]?.string ?? value.description
        case "Pointer", "File":
            guard let id = value["objectId"]?.string ?? value["id"]?.string else { return value.description }
            return "\(value["className"]?.string ?? "_File")/\(id)"
        default: return value.description
        }
    }
}
