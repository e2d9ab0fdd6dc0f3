/// How far an upload came.
package struct UploadProgress: Sendable, Hashable {
    /// The file's objectId.
    package var id: ObjectID
    /// The file's key; where it is served once it is finished.
    package var key: FileKey
    /// How many bytes are there.
    package var received: Int64
    /// How many there will be, if that was said.
    package var size: Int64?
    /// Whether bytes have come.
    package var isStarted: Bool
    /// Whether the file is there.
    package var isFinished: Bool
    /// When the upload ends by itself.
    package var expiresAt: Timestamp

    /// `waiting`, `receiving` or `finished`.
    package var state: String {
        isFinished ? "finished" : isStarted ? "receiving" : "waiting"
    }

    /// Whole percent, if the size is known.
    package var percent: Int? {
        guard !isFinished else { return 100 }
        guard let size else { return nil }
        return size == 0 ? 0 : Int(min(received, size) * 100 / size)
    }
}
