/// How a ``S3BlobStore`` divides and caches bytes.
package struct S3BlobSettings: Sendable {
    /// The largest blob that is cached as one file, in bytes; larger ones are read and cached in pieces.
    package var wholeSize: Int64 = 64 << 20
    /// The largest blob that is fetched whole before it is read, in bytes; larger ones are read while they arrive.
    package var followedSize: Int64 = 1 << 20
    /// The size of a piece of a larger blob in bytes; a reader has one piece, and one that is read ahead.
    package var pieceSize: Int64 = 4 << 20
    /// The largest blob that is sent in one request, in bytes; larger ones are sent in parts.
    package var singlePutSize: Int64 = 64 << 20
    /// The size of a part in bytes: at least 5 MiB, which stores require, and a multiple of 4 MiB.
    ///
    /// Blobs of more than 10,000 such parts have larger ones. Staged bytes that are not on this machine are held in
    /// memory while their part is sent, ``parallelParts`` at a time.
    package var partSize: Int64 = 16 << 20
    /// The number of parts of one blob that are sent at the same time.
    package var parallelParts = 4
    /// How long a put waits for others of the same key that have to withdraw, while none of them does.
    package var claimPatience = Duration.seconds(5)

    /// Creates the default settings.
    package init() {}
}
