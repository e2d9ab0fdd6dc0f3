internal import CLinux
internal import Domain
internal import Glibc

/// Gives a file a second name, or renames it on file systems without hard links; blocks.
///
/// - Parameters:
///   - old: The path of the file.
///   - new: The path to give it.
///   - hasHardLinks: `false` treats the file system as one without hard links, for tests.
/// - Returns: Whether the file was renamed: then its old name is gone.
/// - Throws: ``ServiceError/Code/duplicateValue`` if there is a file of that name.
@discardableResult func linkBlob(_ old: String, _ new: String, hasHardLinks: Bool = true) throws -> Bool {
    if hasHardLinks, link(old, new) == 0 { return false }
    let number = hasHardLinks ? errno : EPERM
    // A chosen key that belongs to another file.
    if number == EEXIST { throw keyTaken }
    guard [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(number) else { throw failure(of: "link", number) }
    if clinux_rename_without_replacing(old, new) == 0 { return true }
    let second = errno
    if second == EEXIST { throw keyTaken }
    guard second == EINVAL || second == ENOSYS else { throw failure(of: "rename", second) }
    // This check is sufficient because keys are random, and the record's key is unique as well.
    guard access(new, F_OK) != 0 else { throw keyTaken }
    try syscall("rename") { rename(old, new) }
    return true
}

let keyTaken = ServiceError(.duplicateValue, "The key is taken.")
