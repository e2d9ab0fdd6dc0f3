/// An item that has to be sent, as the journal knows it.
package struct JournalEntry: Sendable, Hashable {
    /// The row.
    let id: Int64
    /// The objectId that the item gets on the server.
    package let objectId: String
    /// The note of an unfinished upload of the item (``NotedUpload``); `nil` without one.
    package let upload: String?
    /// The objectIds of the item's earlier versions that are on the server, or can be; the oldest first.
    package let replaced: [String]
}

/// What the journal says about an item that was found in the source.
enum Standing: Sendable, Hashable {
    /// It has to be sent.
    case toDo(JournalEntry)
    /// It is on the server.
    case done
    /// It failed before, and is not tried again.
    case failed
    /// It is on the server, with the content that the source had before.
    case changed
    /// It is not compared, but counts as a difference, for this reason; only a verification has such items.
    case different(String)
    /// The source has it twice, in this pass.
    case repeated(isEqual: Bool)
}

/// What became of an item that was sent.
package enum ItemEnd: Sendable {
    /// It is on the server.
    case done
    /// It was refused; the reason is a phrase.
    case failed(String)
    /// The server cannot be used now, so that the item waits for the next process, and the migration stops.
    case stopped(any Error)
    /// The migration was interrupted; the item waits for the next process.
    case interrupted
}
