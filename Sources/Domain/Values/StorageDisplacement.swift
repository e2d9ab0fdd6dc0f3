/// A file or folder of the storage that was removed or replaced while the server ran.
///
/// What the server writes to a removed file is answered with success and gone when the server stops. So changes that
/// need it are refused until it is in its place again.
package struct StorageDisplacement: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path, what happened, and what to do; for the operator.
    package let description: String

    /// The storage folder or its lock, by which no other server uses the folder.
    package static func storage(_ path: String) -> StorageDisplacement {
        StorageDisplacement(
            description: "the storage folder \(path) or the lock in it was removed or replaced while the server ran; "
                + "additions are refused until the original is at that path again"
        )
    }

    /// The file of a database, which the server still has open.
    package static func database(_ path: String) -> StorageDisplacement {
        StorageDisplacement(
            description: "the database \(path) was removed or replaced while the server ran. The server still has it "
                + "open and refuses changes, and reads that need another connection. If it was moved, move it back. "
                + "Otherwise copy it and its write-ahead log from /proc/<process id>/fd before the server stops "
                + "(docs/operations/README.md): lcfile backup cannot read it"
        )
    }

    /// A folder that uploads need.
    package static func folder(_ path: String) -> StorageDisplacement {
        StorageDisplacement(
            description: "the folder \(path) was removed while the server ran; uploads of its app are refused. Move it "
                + "back; if it is lost, start the server again and restore the missing files from a backup"
        )
    }

    /// The folder of the trash.
    package static func trash(_ path: String) -> StorageDisplacement {
        StorageDisplacement(
            description: "the folder \(path) was removed while the server ran; deleted files of its app can neither be "
                + "moved there nor be restored or removed. Move it back; if it is lost, start the server again"
        )
    }

    /// The error of a change or a read that needs it: that of a storage that refuses writes.
    package var refusal: ServiceError {
        ServiceError(
            .storageReadOnly,
            "A part of the server's storage was removed or replaced, so requests that need it are refused.",
            cause: self
        )
    }
}
