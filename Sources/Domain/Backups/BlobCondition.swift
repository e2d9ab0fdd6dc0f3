/// The result of checking a blob.
package enum BlobCondition: Sendable, Equatable {
    /// The bytes are those that were uploaded, as far as they were compared.
    case whole
    /// There is no blob under the key.
    case missing
    /// The bytes differ from the uploaded ones; the string continues "the blob …".
    case damaged(String)
}

extension BlobCondition {
    /// The condition of a blob of another size than was uploaded, in bytes.
    package static func wrongSize(_ size: Int64, _ facts: BlobFacts) -> BlobCondition {
        .damaged("has \(size) bytes, not the \(facts.size) that were uploaded")
    }

    /// The condition of a blob with another digest than that of the uploaded bytes.
    package static func otherBytes(than facts: BlobFacts) -> BlobCondition {
        .damaged("holds other bytes than were uploaded: their digest is not \(facts.digest)")
    }
}

/// A file record that cannot be read, because its bytes were changed by something other than lcfile.
package struct UnreadableRecord: Sendable {
    /// The engine's number of the record.
    package let number: Int64
    /// Its object id, as far as it can be read.
    package let id: String

    /// Creates the value from the readable parts.
    package init(number: Int64, id: String) {
        self.number = number
        self.id = id
    }
}
