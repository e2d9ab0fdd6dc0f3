/// An address to which the server can send mail: ASCII, a dot-atom and a host name (RFC 5321 section 4.1.2).
///
/// Quoted local parts, address literals and characters outside ASCII are not accepted: few servers deliver to them
/// (SMTPUTF8). An internationalised domain is accepted in its ASCII form, `xn--…`.
package struct MailAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address as it was given.
    package let description: String

    /// Checks an address; `nil` if the server cannot send mail to it.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 254, MailAddress.isLocalPart(parts[0]),
            MailAddress.isDomain(parts[1])
        else { return nil }
        description = text
    }

    /// The part after `@`.
    package var domain: String { String(description.split(separator: "@").last ?? "") }

    /// The form by which mails to an address are counted: most servers ignore case.
    var key: String { description.lowercased() }

    private static func isLocalPart(_ text: Substring.UTF8View) -> Bool {
        let atoms = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.count <= 64
            && atoms.allSatisfy { atom in
                !atom.isEmpty && atom.allSatisfy { $0.isASCIIAlphanumeric || marks.contains($0) }
            }
    }

    /// Labels of letters, digits and hyphens, at least two, the last one not a number.
    private static func isDomain(_ text: Substring.UTF8View) -> Bool {
        let labels = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let hyphen = UInt8(ascii: "-")
        return labels.count > 1 && Int(Substring(labels[labels.count - 1])) == nil
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
                    && label.allSatisfy { $0.isASCIIAlphanumeric || $0 == hyphen }
            }
    }

    /// The marks of an atom (RFC 5322 section 3.2.3).
    private static let marks = Set("!#$%&'*+-/=?^_`{|}~".utf8)
}
