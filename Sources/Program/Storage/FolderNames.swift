internal import Glibc

/// The names in a folder.
package enum FolderNames {
    /// A folder that cannot be opened, or cannot be read to its end; its description is the system's message.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// The error number of the system call that failed.
        package let number: CInt

        /// The system's message.
        package var description: String { String(cString: strerror(number)) }
    }

    /// All names but `.` and `..`, in the order of the disk.
    ///
    /// It blocks. An error in the middle of the folder is not its end, as it is for Foundation.
    package static func all(in folder: String) throws(Failure) -> [String] {
        guard let stream = opendir(folder) else { throw Failure(number: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // `readdir` returns null at the end and on failure; only `errno` tells the two apart.
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw Failure(number: errno) }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }
}
