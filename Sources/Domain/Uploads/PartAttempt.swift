/// The right of one request to write the bytes of a part on a shared store, until a newer request takes it.
struct PartAttempt: Sendable, Hashable {
    /// The order of the request, also of its bytes in the staged area.
    let order: Int
    /// The number of the part.
    let number: Int
    /// The id of the part's row.
    let row: ObjectID
    /// Where the bytes of the part begin.
    let offset: Int64
    /// The recorded size when the request began, or that it has recorded since.
    var recorded: Int64
}

/// What a request is about to write.
enum PartRequest: Sendable {
    /// More bytes of the part that grows, behind a recorded size.
    case append(after: Int64)
    /// A part with a number from the client, of a size.
    case part(Int, size: Int64)
    /// A new block of a size.
    case block(size: Int64)
    /// The next bytes of a block.
    case chunk(number: Int, start: Int64)
    /// No bytes: requests of other servers that append end, so that the recorded size stays.
    case stopAppending
}
