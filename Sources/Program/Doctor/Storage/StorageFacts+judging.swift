/// Judgements of a storage folder.
extension StorageFacts {
    /// All findings.
    ///
    /// - Parameter minFree: `disk.minFree`.
    /// - Returns: One for each subject, at least one.
    func findings(minFree: Int64) -> [Finding] {
        if let failure { return [Finding("storage.folder", .problem, "\(path) cannot be read: \(failure)")] }
        guard isFolder else {
            let text = "\(path) is not a folder; set --storage or the setting storage"
            return [Finding("storage.folder", .problem, text)]
        }
        return [folder, keys, kind, space(minFree: minFree), inodes].compactMap(\.self)
    }

    /// The finding about a folder that is the target of the continuous backup.
    ///
    /// - Parameter hasOtherFiles: Whether it is neither empty nor a backup repository.
    /// - Returns: Whether the server can use it.
    func backupTarget(hasOtherFiles: Bool) -> Finding {
        let fault: String? =
            if let failure {
                "cannot be used: \(failure)"
            } else if !isFolder {
                "is not a folder"
            } else if !isWritable {
                "cannot be written by user \(user); it belongs to user \(owner)"
            } else if hasOtherFiles {
                "has other files and is not a backup repository; use another folder"
            } else {
                nil
            }
        let subject = "backup.target"
        if let fault { return Finding(subject, .problem, "\(path) \(fault)") }
        guard exists else { return Finding(subject, .note, "\(path) does not exist yet; the server creates it") }
        return Finding(subject, .ok, "\(path) is writable")
    }

    private var folder: Finding {
        let subject = "storage.folder"
        guard isWritable else {
            let text =
                "user \(user) cannot write to \(path), which belongs to user \(owner); change its owner, or run the "
                + "server as that user"
            return Finding(subject, .problem, text)
        }
        guard exists else {
            return Finding(subject, .note, "\(path) does not exist yet; the first start creates it")
        }
        if user == 0, owner != 0 {
            let text =
                "\(path) belongs to user \(owner), and this is root: run the doctor as the server's user, to see "
                + "what the server can do"
            return Finding(subject, .note, text)
        }
        guard mode & 0o007 == 0 else {
            let text = "every user of this machine can look into \(path); chmod o-rwx \(path)"
            return Finding(subject, .note, text)
        }
        return Finding(subject, .ok, "\(path) is writable")
    }

    private var keys: Finding? {
        guard let keysMode, keysMode & 0o077 != 0 else { return nil }
        let text = "other users can read the keys in \(path)/apps.yaml; chmod 600 \(path)/apps.yaml"
        return Finding("storage.keys", .problem, text)
    }

    private var kind: Finding {
        let subject = "storage.fileSystem"
        switch FileSystemKind(magic: fileSystem) {
        case .disk(let name): return Finding(subject, .ok, name)
        case .memory(let name):
            let text = "\(path) is on \(name), in memory: everything is lost with the next restart; use a disk"
            return Finding(subject, .problem, text)
        case .network(let name):
            let text =
                "\(path) is on \(name): SQLite's log does not work over a network; use a local disk, and the "
                + "network for backups"
            return Finding(subject, .problem, text)
        case .overlay:
            let text = "\(path) is in the layer of a container, and is lost with the container; mount a volume there"
            return Finding(subject, .problem, text)
        case .program:
            let text = "\(path) is on a FUSE file system: whether a sync reaches a disk depends on its program"
            return Finding(subject, .note, text)
        case .unknown:
            let text = "lcfile is not tested on the file system of \(path) (0x\(String(fileSystem, radix: 16)))"
            return Finding(subject, .note, text)
        }
    }

    private func space(minFree: Int64) -> Finding {
        let subject = "storage.space"
        guard total > 0 else { return Finding(subject, .note, "the file system does not say how large it is") }
        // As the server bounds it, so that a small file system can be ready.
        let least = min(minFree, total / 16)
        let text = "\(size(free)) of \(size(total)) are free"
        guard free >= max(least, 1 << 20) else {
            let more = ", less than disk.minFree (\(size(least))): free space, or use a larger disk"
            return Finding(subject, .problem, text + more)
        }
        guard free >= total / 20 else {
            return Finding(subject, .note, "\(text), less than a twentieth: plan a larger disk")
        }
        return Finding(subject, .ok, text)
    }

    private var inodes: Finding {
        let subject = "storage.inodes"
        guard totalInodes > 0 else { return Finding(subject, .ok, "made as needed") }
        let text = "\(freeInodes) of \(totalInodes) inodes are free; each file takes one"
        guard freeInodes >= max(100, totalInodes / 100) else {
            let more = ": make the file system with more (mkfs -N), or use XFS or Btrfs"
            return Finding(subject, .problem, text + more)
        }
        return Finding(subject, freeInodes < totalInodes / 20 ? .note : .ok, text)
    }
}
