/// Reads the XML of an S3 store's answers into a tree, with bounds on depth and elements.
///
/// It is not a validating parser: it knows elements, text, the five predefined entities, character references, CDATA
/// sections, comments and processing instructions. Its time and memory are linear in the size of the document.
struct XMLReader {
    private let bytes: [UInt8]
    private var position = 0
    private var elements = 0

    private static let maxDepth = 16
    private static let maxElements = 100_000

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The root element.
    mutating func document() throws(XMLFault) -> XMLElement {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        var open: [XMLElement] = []
        var text: [UInt8] = []
        while position < bytes.count {
            let run = bytes[position...].prefix { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&") }
            text += run
            position = run.endIndex
            guard position < bytes.count, bytes[position] == UInt8(ascii: "<") else {
                if position < bytes.count { text += try reference() }
                continue
            }
            if skip("<!--") {
                try skip(until: "-->")
            } else if skip("<?") {
                try skip(until: "?>")
            } else if skip("<![CDATA[") {
                let start = position
                try skip(until: "]]>")
                text += bytes[start..<position - 3]
            } else if skip("<!") {
                throw .declaresType
            } else {
                XMLReader.add(text, to: &open)
                text = []
                if let root = try tag(&open) { return root }
            }
        }
        throw .malformed
    }

    /// Reads a tag; returns the root when it is closed.
    private mutating func tag(_ open: inout [XMLElement]) throws(XMLFault) -> XMLElement? {
        if skip("</") {
            let name = try name()
            skipBlanks()
            guard skip(">"), var closed = open.popLast(), closed.name == name else { throw .malformed }
            closed.text = XMLReader.trimmed(closed.text)
            return XMLReader.close(closed, in: &open)
        }
        position += 1
        let element = XMLElement(named: try name())
        elements += 1
        guard open.count < XMLReader.maxDepth, elements <= XMLReader.maxElements else { throw .tooLarge }
        let isClosed = try attributes()
        if isClosed { return XMLReader.close(element, in: &open) }
        open.append(element)
        return nil
    }

    private static func close(_ element: XMLElement, in open: inout [XMLElement]) -> XMLElement? {
        guard !open.isEmpty else { return element }
        open[open.count - 1].children.append(element)
        return nil
    }

    private static func add(_ text: [UInt8], to open: inout [XMLElement]) {
        guard !text.isEmpty, !open.isEmpty else { return }
        open[open.count - 1].text += String(decoding: text, as: UTF8.self)
    }

    private static func trimmed(_ text: String) -> String {
        let blanks = " \t\r\n".unicodeScalars
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !blanks.contains($0) }),
            let last = scalars.lastIndex(where: { !blanks.contains($0) })
        else { return "" }
        return String(scalars[first...last])
    }

    /// The name at the position, without its prefix.
    private mutating func name() throws(XMLFault) -> String {
        let start = position
        while position < bytes.count, !" \t\r\n/>=<".utf8.contains(bytes[position]) { position += 1 }
        guard let name = String(validating: bytes[start..<position], as: UTF8.self), !name.isEmpty else {
            throw .malformed
        }
        return name.split(separator: ":").last.map(String.init) ?? name
    }

    /// Skips the attributes and the end of a tag; returns whether the element is closed with it.
    private mutating func attributes() throws(XMLFault) -> Bool {
        while position < bytes.count {
            skipBlanks()
            if skip(">") { return false }
            if skip("/>") { return true }
            _ = try name()
            skipBlanks()
            guard skip("=") else { throw .malformed }
            skipBlanks()
            if skip("\"") { try skip(until: "\"") } else if skip("'") { try skip(until: "'") } else { throw .malformed }
        }
        throw .malformed
    }

    /// The bytes of the character to which the reference at the position refers.
    private mutating func reference() throws(XMLFault) -> [UInt8] {
        position += 1
        // The longest reference is &#1114111; with some zeros.
        guard let end = bytes[position...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else { throw .malformed }
        let reference = String(decoding: bytes[position..<end], as: UTF8.self)
        position = end + 1
        if let character = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"][reference] {
            return Array(character.utf8)
        }
        let digits = reference.dropFirst()
        guard reference.hasPrefix("#"), !digits.hasPrefix("+"), !digits.hasPrefix("-"),
            let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits),
            let scalar = Unicode.Scalar(number), number > 0
        else { throw .malformed }
        return Array(String(Character(scalar)).utf8)
    }

    private mutating func skipBlanks() {
        while position < bytes.count, " \t\r\n".utf8.contains(bytes[position]) { position += 1 }
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        let isThere = text.withUTF8Buffer { bytes[position...].starts(with: $0) }
        if isThere { position += text.utf8CodeUnitCount }
        return isThere
    }

    private mutating func skip(until end: StaticString) throws(XMLFault) {
        while position < bytes.count {
            if skip(end) { return }
            position += 1
        }
        throw .malformed
    }
}
