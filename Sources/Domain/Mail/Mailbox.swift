/// An address with the name that mail programs show.
package struct Mailbox: Sendable, Hashable {
    /// The name; empty for none.
    package let name: String
    /// The address.
    package let address: MailAddress

    /// Parses `name <address>`, `"name" <address>` or an address; `nil` for other strings.
    package init?(_ text: String) {
        guard !text.hasControlCharacters, text.utf8.count <= 512 else { return nil }
        guard text.hasSuffix(">"), let start = text.lastIndex(of: "<") else {
            guard let address = MailAddress(text) else { return nil }
            (name, self.address) = ("", address)
            return
        }
        guard let address = MailAddress(String(text[text.index(after: start)...].dropLast())) else { return nil }
        var name = text[..<start]
        while name.last == " " { name.removeLast() }
        name = name.drop { $0 == " " }
        if name.count >= 2, name.first == "\"", name.last == "\"" { name = name.dropFirst().dropLast() }
        guard !name.contains(where: { "\"<>\\".contains($0) }) else { return nil }
        (self.name, self.address) = (String(name), address)
    }
}
