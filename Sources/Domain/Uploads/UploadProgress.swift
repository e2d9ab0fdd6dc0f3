/// The progress of an upload.
package struct UploadProgress: Sendable, Hashable {
    /// The file's objectId.
    package var id: ObjectID
    /// The file's key, from which its URL is built once the upload is finished.
    package var key: FileKey
    /// The number of received bytes.
    package var received: Int64
    /// The announced number of bytes; `nil` if the client announced none.
    package var size: Int64?
    /// Whether bytes were received.
    package var isStarted: Bool
    /// Whether the file exists.
    package var isFinished: Bool
    /// The time at which the upload expires.
    package var expiresAt: Timestamp

    /// `waiting`, `receiving` or `finished`.
    package var state: String {
        isFinished ? "finished" : isStarted ? "receiving" : "waiting"
    }

    /// The progress in whole percent; `nil` if the size is unknown.
    package var percent: Int? {
        guard !isFinished else { return 100 }
        guard let size else { return nil }
        return size == 0 ? 0 : Int(min(received, size) * 100 / size)
    }
}
