/// An element of an XML document; attributes, comments and the prefixes of names are dropped.
struct XMLElement {
    /// The name without a prefix.
    let name: String
    /// All characters directly in the element, without the blanks around them.
    var text = ""
    var children: [XMLElement] = []

    /// The first child with a name; `nil` without one.
    func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }

    /// The text of the first child with a name; `nil` without one.
    func text(of name: String) -> String? { child(name)?.text }

    /// Parses a document.
    ///
    /// - Parameter bytes: The document, of a size that the caller has limited.
    /// - Throws: ``XMLFault`` if it is malformed, declares a type (where entities are defined that can expand to any
    ///   size), or has more elements or levels than the answers of a store.
    init(parsing bytes: [UInt8]) throws(XMLFault) {
        var reader = XMLReader(bytes)
        self = try reader.document()
    }

    init(named name: String) { self.name = name }
}

/// Why a document is not read.
enum XMLFault: Error {
    /// It is not well-formed, as far as the reader looks.
    case malformed
    /// It has a document type declaration.
    case declaresType
    /// It has more elements or levels than the limits.
    case tooLarge
}
