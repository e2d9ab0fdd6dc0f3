internal import Crypto
internal import Glibc
internal import Synchronization

/// The file of a model: whether it is the expected one, and a descriptor for a process that reads it.
///
/// Its digest is computed again only if the file was replaced.
final class ModelFile: Sendable {
    /// What identifies the content of a file, without reading it.
    private struct Version: Equatable {
        let device: dev_t
        let number: ino_t
        let size: off_t
        let changed: timespec

        init(_ status: stat) {
            device = status.st_dev
            number = status.st_ino
            size = status.st_size
            changed = status.st_mtim
        }

        static func == (one: Version, other: Version) -> Bool {
            one.device == other.device && one.number == other.number && one.size == other.size
                && one.changed.tv_sec == other.changed.tv_sec && one.changed.tv_nsec == other.changed.tv_nsec
        }
    }

    private let path: String
    /// The SHA-256 in lower-case hexadecimal digits; `nil` accepts every file.
    private let digest: String?
    /// The version whose digest was compared, and whether it was equal.
    private let compared = Mutex<(version: Version, isEqual: Bool)?>(nil)

    init(path: String, digest: String?) {
        self.path = path
        self.digest = digest
    }

    /// Why the model cannot be used, as far as that is known without reading it.
    var obstacle: ClassifierObstacle? {
        var status = stat()
        guard stat(path, &status) == 0, access(path, R_OK) == 0 else { return .noModel }
        let version = Version(status)
        return compared.withLock { $0?.version == version && $0?.isEqual == false } ? .damagedModel : nil
    }

    /// Opens the model; computes its digest if that was not done yet, which takes some tenths of a second.
    ///
    /// - Returns: A descriptor at offset 0, which the caller closes.
    func open() throws(ClassifierObstacle) -> CInt {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .noModel }
        var status = stat()
        guard fstat(descriptor, &status) == 0, isExpected(descriptor, Version(status)),
            lseek(descriptor, 0, SEEK_SET) == 0
        else {
            close(descriptor)
            throw .damagedModel
        }
        return descriptor
    }

    private func isExpected(_ descriptor: CInt, _ version: Version) -> Bool {
        guard let digest else { return true }
        // Others wait for the result instead of reading the file too.
        return compared.withLock { compared in
            if let compared, compared.version == version { return compared.isEqual }
            let isEqual = Self.digest(of: descriptor) == digest
            compared = (version, isEqual)
            return isEqual
        }
    }

    private static func digest(of descriptor: CInt) -> String? {
        var hash = SHA256()
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            piece.withUnsafeBytes { hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
        let digits = Array("0123456789abcdef")
        return String(hash.finalize().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
