internal import Crypto
internal import Domain
internal import Glibc

/// The paths of an app's derivatives: `derivatives/ab/<SHA-256 of the source>/<32 digits of the request's SHA-256>`.
///
/// The source's digest begins with `ab`. Each source has a folder, so that all its derivatives can be removed without a
/// list of their requests. The operator can delete any of the files at any time.
struct DerivativeLayout: Sendable {
    let root: String
    /// The staged derivatives whose removal failed; the next write tries again.
    let unsettled = UnsettledNames()

    private static let staged = "staging-"
    private static let sourceLength = 64
    private static let requestLength = 32

    /// Creates the layout of an app's folder; creates no files.
    init(folder: String) {
        root = "\(folder)/derivatives"
    }

    /// The folder of the sources whose digests begin with a byte; there are 256.
    func shelf(_ first: UInt8) -> String {
        "\(root)/\([first].hexadecimal)"
    }

    /// The folder of all derivatives of a source.
    func folder(of source: String) -> String {
        let digest = DerivativeLayout.digest(of: source)
        return "\(root)/\(digest.prefix(2))/\(digest)"
    }

    /// Creates the folder of a source, and the one above.
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
        "\(root)/\(DerivativeLayout.staged)\(RandomString.lowercase(25))"
    }

    /// Removes the unfinished files of a previous server.
    func removeStaged() throws {
        try forEachName(in: root) { name in
            if name.hasPrefix(DerivativeLayout.staged) { unlink("\(root)/\(name)") }
        }
    }

    /// Removes the derivatives of a folder for which the body returns `false`.
    ///
    /// Names are read one at a time, so memory does not grow with their number. Files that cannot be read or removed
    /// stay; files with other names are ignored.
    ///
    /// - Returns: The space of the removed files, in bytes.
    func sweep(_ shelf: String, keeping isKept: (DerivativeFile) -> Bool) -> Int64 {
        var freed: Int64 = 0
        try? forEachName(in: shelf) { source in
            guard DerivativeLayout.isDigest(source, length: DerivativeLayout.sourceLength) else { return }
            try? clean("\(shelf)/\(source)", freed: &freed, keeping: isKept)
        }
        return freed
    }

    /// Removes all derivatives of a source; adds their space in bytes to a count, also if it fails.
    ///
    /// - Throws: `internalFailure` if some cannot be removed; all others are removed.
    func remove(allOf source: String, freed: inout Int64) throws {
        try clean(folder(of: source), freed: &freed) { _ in false }
    }

    /// Removes derivatives in a folder, and the folder if it is empty afterwards.
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
                // The other files can still be removed.
                isEmpty = false
                firstError = firstError ?? error
            }
        }
        // Fails if a file was added meanwhile; then the folder must stay.
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
