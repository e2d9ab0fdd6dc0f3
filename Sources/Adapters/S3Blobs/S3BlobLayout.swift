internal import Crypto
package import Domain

/// The names of an app's objects in a bucket.
///
/// All of them begin with ``root``. The name of a blob has the id of its file, so that two files that get the same key
/// at the same time never have the same object (docs/decisions/0005-blobs-in-s3.md).
package struct S3BlobLayout: Sendable, Hashable {
    /// What all names begin with: the prefix and the app, with a slash at its end.
    package let root: String
    /// The id of the app.
    let app: String

    /// - Parameters:
    ///   - prefix: The beginning of all names, without slashes around it; empty for the whole bucket.
    ///   - app: The id of the app.
    package init(prefix: String, app: String) {
        self.app = app
        root = (prefix.isEmpty ? "" : "\(prefix)/") + "\(app)/"
    }

    /// The name of a file's blob: `blobs/ab/<blob>.<file>`, where `ab` are the first two digits of the blob's name.
    ///
    /// The folders are for stores that list folder by folder; others do not know them.
    package func name(of blob: BlobName, _ file: ObjectID) -> String {
        "\(prefix(of: blob))\(file)"
    }

    /// The name of the claim of a file on a key, while its blob is put.
    ///
    /// A list shows it directly behind the blob (``S3BlobListing`` needs that order).
    package func claim(of blob: BlobName, _ file: ObjectID) -> String {
        name(of: blob, file) + S3BlobLayout.claimSuffix
    }

    /// What the names of all objects of a key begin with.
    package func prefix(of blob: BlobName) -> String {
        "\(root)blobs/\(blob.description.prefix(2))/\(blob)."
    }

    /// The name of a file's bytes in the trash: `trash/xy/<entry>.<file>`, where `xy` are the last two digits of the
    /// entry's id.
    package func name(ofTrashed entry: ObjectID, _ file: ObjectID) -> String {
        "\(prefix(ofTrashed: entry))\(file)"
    }

    /// What the names of all objects of an entry in the trash begin with.
    package func prefix(ofTrashed entry: ObjectID) -> String {
        "\(root)trash/\(entry.description.suffix(2))/\(entry)."
    }

    /// What the names of all staged bytes begin with.
    package var stagingPrefix: String { "\(root)staging/" }

    /// The name of the object with the ids of those to whom the blobs belong (``S3BlobOwners``).
    package var ownersName: String { "\(root)owners" }

    /// What the names of all shared derivatives begin with.
    package var derivativesPrefix: String { "\(root)derivatives/" }

    /// What the names of all derivatives of a source begin with: `derivatives/ab/<SHA-256 of the source>/`.
    func derivativesPrefix(of source: String) -> String {
        let digest = SHA256.hash(data: Array(source.utf8)).hexadecimal
        return "\(derivativesPrefix)\(digest.prefix(2))/\(digest)/"
    }

    /// The name of a derivative: behind that of its source 32 digits of the SHA-256 of its request.
    func name(of derivative: DerivativeName) -> String {
        let request = SHA256.hash(data: Array(derivative.request.utf8)).hexadecimal
        return "\(derivativesPrefix(of: derivative.source))\(request.prefix(32))"
    }

    /// What the names of all blobs and claims begin with.
    package var blobsPrefix: String { "\(root)blobs/" }

    /// The end of the names of claims; no id of a file has a dot.
    package static let claimSuffix = ".claim"
}
