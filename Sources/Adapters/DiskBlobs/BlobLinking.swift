internal import CLinux
internal import Domain
internal import Glibc

/// Gives a file a second name, or renames it on file systems without hard links; blocks.
///
/// - Throws: ``ServiceError/Code/duplicateValue`` if there is a file of that name.
func linkBlob(_ old: String, _ new: String) throws {
    if link(old, new) == 0 { return }
    let number = errno
    // A chosen key that belongs to another file.
    if number == EEXIST { throw keyTaken }
    guard [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(number) else { throw failure(of: "link", number) }
    if clinux_rename_without_replacing(old, new) == 0 { return }
    let second = errno
    if second == EEXIST { throw keyTaken }
    guard second == EINVAL || second == ENOSYS else { throw failure(of: "rename", second) }
    // This check is sufficient because keys are random, and the record's key is unique as well.
    guard access(new, F_OK) != 0 else { throw keyTaken }
    try syscall("rename") { rename(old, new) }
}

let keyTaken = ServiceError(.duplicateValue, "The key is taken.")
