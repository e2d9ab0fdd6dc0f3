package import Domain

/// Reads objects of a backup target to files, several at a time.
package enum ObjectFetch {
    /// Reads objects; the number of an object in the list is the name of its file.
    ///
    /// - Parameters:
    ///   - names: The objects.
    ///   - target: The place of the objects.
    ///   - folder: A folder that has no files of these names.
    /// - Throws: ``BackupTargetFailure``, also if an object is missing.
    package static func fetch(_ names: [String], from target: any BackupTarget, to folder: String) throws {
        _ = try inParallel(Array(names.enumerated()), threads: BlobRepository.threads) { index, name in
            try target.get(name, toFileAt: "\(folder)/\(index)")
        }
    }
}
