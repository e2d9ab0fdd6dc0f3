/// What reading a blob found.
package enum BlobCondition: Sendable, Equatable {
    /// The bytes are those that were uploaded, as far as they were to be compared.
    case whole
    /// There is nothing under the key.
    case missing
    /// The bytes differ from the uploaded ones; the string continues "the blob …".
    case damaged(String)
}

/// A file record that cannot be read, because something else than lcfile changed its bytes.
package struct UnreadableRecord: Sendable {
    /// Where the engine finds it.
    package let number: Int64
    /// Its object id, as far as that can be read.
    package let id: String

    /// Takes what could be read.
    package init(number: Int64, id: String) {
        self.number = number
        self.id = id
    }
}
