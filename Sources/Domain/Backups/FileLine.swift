/// A file record as a line that sorts by the name of its blob in a repository.
package enum FileLine {
    /// The line: the blob's name, size, object id, kind and digest, and key, the last two in hexadecimal digits; then
    /// the id of the file whose bytes the file took over, if it did.
    package static func line(of file: FileEntry) -> String {
        let kind =
            switch file.facts.digest {
            case .contentHash: "h"
            case .sha256: "s"
            }
        let digest = Array(file.facts.digest.description.utf8).hexadecimal
        let key = Array(file.key.description.utf8).hexadecimal
        let replaced = file.replaced.map { " \($0)" } ?? ""
        return "\(BackupBlob(of: file)) \(file.facts.size) \(file.id) \(kind)\(digest) \(key)\(replaced)"
    }

    /// Parses a line that ``line(of:)`` made; `nil` for others.
    package static func file(of line: String) -> FileEntry? {
        let parts = line.split(separator: " ")
        guard 5...6 ~= parts.count, let size = Int64(parts[1]), let id = ObjectID(String(parts[2])),
            let digest = text(parts[3].dropFirst()), let key = text(parts[4]).flatMap({ FileKey($0) })
        else { return nil }
        let isHash = parts[3].first == "h"
        let kind = isHash ? BlobDigest.contentHash(digest) : .sha256(digest)
        let replaced = parts.count == 6 ? ObjectID(String(parts[5])) : nil
        return FileEntry(id: id, key: key, facts: BlobFacts(size: size, digest: kind, md5: nil), replaced: replaced)
    }

    private static func text(_ digits: Substring) -> String? {
        [UInt8](hexadecimal: String(digits)).map { String(decoding: $0, as: UTF8.self) }
    }
}
