internal import Crypto
internal import Domain
internal import Glibc

/// Where an app's derivatives lie: `derivatives/ab/<SHA-256 of the source>/<32 digits of the request's SHA-256>`.
///
/// The source's digest begins with `ab`. Each source has a folder, so that all of one is removed without knowing what
/// was made of it. The operator can delete any of it at any time.
struct DerivativeLayout: Sendable {
    let root: String

    private static let staged = "staging-"
    private static let sourceLength = 64
    private static let requestLength = 32

    /// Names the places in an app's folder and makes nothing.
    init(folder: String) {
        root = "\(folder)/derivatives"
    }

    /// The folder of the sources whose digests begin with a byte: there are 256.
    func shelf(_ first: UInt8) -> String {
        "\(root)/\([first].hexadecimal)"
    }

    /// The folder of all derivatives of a source.
    func folder(of source: String) -> String {
        let digest = DerivativeLayout.digest(of: source)
        return "\(root)/\(digest.prefix(2))/\(digest)"
    }

    /// Makes the folder of a source, and the one above.
    func makeFolders(of source: String) throws {
        try makeFolder("\(root)/\(DerivativeLayout.digest(of: source).prefix(2))")
        try makeFolder(folder(of: source))
    }

    /// The file of a derivative.
    func path(of name: DerivativeName) -> String {
        let digest = DerivativeLayout.digest(of: name.request)
        return "\(folder(of: name.source))/\(digest.prefix(DerivativeLayout.requestLength))"
    }

    /// A new file, for bytes that are being written.
    func newStagingPath() -> String {
        "\(root)/\(DerivativeLayout.staged)\((0..<16).map { _ in UInt8.random(in: 0...255) }.hexadecimal)"
    }

    /// Removes what a dead server was about to write.
    func removeStaged() throws {
        try forEachName(in: root) { name in
            if name.hasPrefix(DerivativeLayout.staged) { unlink("\(root)/\(name)") }
        }
    }

    /// Goes through the derivatives of a folder and removes those for which the body returns false.
    ///
    /// Names are read one at a time, so memory is the same for any number of them. What cannot be read or removed
    /// stays; files that have other names than ours are passed over.
    ///
    /// - Returns: What the removed ones took, in bytes.
    func sweep(_ shelf: String, keeping isKept: (DerivativeFile) -> Bool) -> Int64 {
        var freed: Int64 = 0
        try? forEachName(in: shelf) { source in
            guard DerivativeLayout.isDigest(source, length: DerivativeLayout.sourceLength) else { return }
            try? clean("\(shelf)/\(source)", freed: &freed, keeping: isKept)
        }
        return freed
    }

    /// Removes all derivatives of a source; adds to a count what they took, in bytes, also if it fails.
    ///
    /// - Throws: `internalFailure` if some cannot be removed; all others are.
    func remove(allOf source: String, freed: inout Int64) throws {
        try clean(folder(of: source), freed: &freed) { _ in false }
    }

    /// Removes derivatives in a folder, and the folder if it is empty then.
    private func clean(_ folder: String, freed: inout Int64, keeping isKept: (DerivativeFile) -> Bool) throws {
        var firstError: (any Error)?
        var isEmpty = true
        try forEachName(in: folder) { name in
            let path = "\(folder)/\(name)"
            guard DerivativeLayout.isDigest(name, length: DerivativeLayout.requestLength),
                let file = DerivativeFile(at: path), !isKept(file)
            else {
                isEmpty = false
                return
            }
            do {
                freed += try file.remove(path)
            } catch {
                // The others can go all the same.
                isEmpty = false
                firstError = firstError ?? error
            }
        }
        // Fails if something came in meanwhile, which is as well.
        if isEmpty { rmdir(folder) }
        if let firstError { throw firstError }
    }

    private static func digest(of text: String) -> String {
        SHA256.hash(data: Array(text.utf8)).hexadecimal
    }

    private static func isDigest(_ name: String, length: Int) -> Bool {
        name.utf8.count == length
            && name.utf8.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            }
    }
}
