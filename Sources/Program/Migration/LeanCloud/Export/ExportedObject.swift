internal import FileClient

/// An object of an export in the form in which the server takes it.
package struct ExportedObject: MigrationItem {
    /// The objectId.
    package let name: String
    /// Where the object is in the export: `Post.0.jsonl, line 17`.
    let place: String
    /// The object as JSON: byte for byte that of the export, unless its form differs from REST's.
    let body: [UInt8]
    /// The digest of the body.
    package let fingerprint: String

    /// The number of bytes of the body.
    package var size: Int64? { Int64(body.count) }
    /// The objectId.
    package var objectId: String? { name }
    /// The parsed body.
    var value: JSON { (try? JSON.parse(body[...])) ?? .null }

    init(id: String, place: String, body: [UInt8]) {
        name = id
        self.place = place
        self.body = body
        fingerprint = ShortDigest.hexadecimal(of: body)
    }

    /// Checks a row of an export, and gives it REST's form.
    ///
    /// - Parameters:
    ///   - row: A JSON value in UTF-8.
    ///   - place: Where it is.
    /// - Throws: ``MigrationError`` with the reason for which the row cannot be sent.
    init(_ row: [UInt8], at place: String) throws(MigrationError) {
        let outline = try ExportedObject.outline(of: row)
        if let id = outline.plainID {
            try NameRules.requireObjectID(id)
            self.init(id: id, place: place, body: ExportedObject.body(of: row, acl: outline.acl))
            return
        }
        guard let parsed = try? JSON.parse(row[...]).members else { throw MigrationError("the row is no object") }
        let members = try ExtendedJSON.object(parsed)
        guard let id = members["objectId"]?.string, !id.isEmpty else { throw MigrationError("the row has no objectId") }
        try NameRules.requireObjectID(id)
        self.init(id: id, place: place, body: JSON.object(members).encoded)
    }

    private struct Outline {
        /// The objectId, if nothing in the row has to be converted.
        var plainID: String?
        /// The range of the ACL's value; `nil` without an ACL.
        var acl: Range<Int>?
    }

    /// Checks the whole text, without creating its values.
    private static func outline(of row: [UInt8]) throws(MigrationError) -> Outline {
        let result: Result<Outline, MigrationError> = row.withUnsafeBufferPointer { text in
            do throws(JSONFault) {
                var reader = JSONReader(text)
                guard reader.take("{") else { return .failure(MigrationError("the row is no object")) }
                var outline = Outline()
                var isPlain = true
                if !reader.take("}") {
                    repeat {
                        let name = try reader.name()
                        let range = try reader.skipValue()
                        let isString = text[range.lowerBound] == UInt8(ascii: "\"")
                        switch name {
                        case "objectId":
                            isPlain = isPlain && isString && range.count > 2
                            outline.plainID = try ExportedObject.string(text[range])
                        case "createdAt", "updatedAt": isPlain = isPlain && isString
                        case "ACL": outline.acl = range
                        case "_id", "__type", "className": isPlain = false
                        default: break
                        }
                    } while reader.take(",")
                    guard reader.take("}") else {
                        return .failure(
                            MigrationError("not JSON: a comma or '}' is missing at byte \(reader.position)")
                        )
                    }
                }
                try reader.requireEnd()
                if !isPlain || reader.hasDollarName { outline.plainID = nil }
                return .success(outline)
            } catch {
                return .failure(MigrationError("\(error)"))
            }
        }
        return try result.get()
    }

    /// The value of a JSON string; `nil` for another value.
    private static func string(_ value: Slice<UnsafeBufferPointer<UInt8>>) throws(JSONFault) -> String? {
        // Few ids have escapes, and parsing takes longer.
        guard value.first == UInt8(ascii: "\""), !value.contains(UInt8(ascii: "\\")) else {
            return try JSON(parsing: Array(value)).string
        }
        return String(decoding: value.dropFirst().dropLast(), as: UTF8.self)
    }

    /// The row with the ACL that a missing one or `null` means: everybody reads and writes.
    ///
    /// - Parameters:
    ///   - row: An object with members.
    ///   - acl: The range of the ACL's value in the row; `nil` without an ACL.
    /// - Returns: The row, byte for byte, except for an ACL that is missing or `null`.
    private static func body(of row: [UInt8], acl: Range<Int>?) -> [UInt8] {
        let everyone = Array(#"{"*":{"read":true,"write":true}}"#.utf8)
        if let acl {
            guard row[acl.lowerBound] == UInt8(ascii: "n") else { return row }
            return Array(row[..<acl.lowerBound]) + everyone + Array(row[acl.upperBound...])
        }
        guard let end = row.lastIndex(of: UInt8(ascii: "}")) else { return row }
        return Array(row[..<end]) + Array(#","ACL":"#.utf8) + everyone + [UInt8(ascii: "}")]
    }
}
