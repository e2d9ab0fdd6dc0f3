/// The id or the key by which an object names a file.
enum FileMention: Sendable, Hashable {
    case id(ObjectID)
    case key(FileKey)
}
