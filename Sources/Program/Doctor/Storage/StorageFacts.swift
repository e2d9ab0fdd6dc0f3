internal import CLinux
internal import Glibc

/// What the system says about the storage folder.
struct StorageFacts: Sendable {
    /// Its path.
    let path: String
    /// Whether it exists; without it, the facts are those of the folder in which the first start creates it.
    var exists = true
    /// The error of reading its metadata; `nil` if there is none.
    var failure: String?
    var isFolder = true
    var owner: UInt32 = 0
    /// The permission bits.
    var mode: UInt32 = 0o700
    /// The permission bits of `apps.yaml` in it, which has keys; `nil` if there is none.
    var keysMode: UInt32?
    /// The user of this process.
    var user: UInt32 = 0
    var isWritable = true
    /// The magic number of the file system (statfs(2)).
    var fileSystem: Int64 = 0xEF53
    /// Bytes that an unprivileged process can write.
    var free: Int64 = 0
    var total: Int64 = 0
    var freeInodes: Int64 = 0
    /// 0 if the file system makes them as needed.
    var totalInodes: Int64 = 0

    init(path: String) { self.path = path }

    /// Reads the facts.
    init(reading path: String) {
        self.init(path: path)
        user = geteuid()
        var status = stat()
        var examined = path
        if stat(path, &status) != 0 {
            guard errno == ENOENT else {
                failure = String(cString: strerror(errno))
                return
            }
            exists = false
            let cut = path.split(separator: "/", omittingEmptySubsequences: true).dropLast().joined(separator: "/")
            examined = path.hasPrefix("/") ? "/\(cut)" : cut.isEmpty ? "." : cut
            guard stat(examined, &status) == 0 else {
                failure = "\(examined): \(String(cString: strerror(errno)))"
                return
            }
        }
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        owner = status.st_uid
        mode = status.st_mode & 0o7777
        isWritable = access(examined, W_OK | X_OK) == 0
        var keys = stat()
        if exists, stat("\(path)/apps.yaml", &keys) == 0 { keysMode = keys.st_mode & 0o777 }
        fileSystem = clinux_file_system(examined)
        var space = statvfs()
        guard statvfs(examined, &space) == 0 else { return }
        let block = Int64(clamping: space.f_frsize)
        free = Int64(clamping: space.f_bavail) * block
        total = Int64(clamping: space.f_blocks) * block
        freeInodes = Int64(clamping: space.f_favail)
        totalInodes = Int64(clamping: space.f_files)
    }
}
