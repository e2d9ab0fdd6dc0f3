extension BackupObject {
    /// The maximum length of a name in bytes.
    package static let maxNameLength = 512

    /// Whether a string can be the name of an object: every ``BackupTarget`` takes exactly these names.
    package static func isName(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return text.utf8.count <= maxNameLength && text.utf8.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: "/") }
            && parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    }

    /// Whether a byte can be part of a name, `/` excluded.
    package static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
