/// What a client is told about one change of the results of one of its live queries (protocol/data 8.5).
package struct LiveEvent: Sendable {
    /// The kinds of events; the raw values are those of the protocol.
    package enum Kind: String, Sendable, CaseIterable {
        /// The object was created and matches.
        case create
        /// The object matched before and after the change.
        case update
        /// The object began to match.
        case enter
        /// The object stopped matching, or the client is no longer allowed to read it.
        case leave
        /// The object matched and was deleted.
        case delete
        /// A user that matches has logged in.
        case login
    }

    /// What happened.
    package let kind: Kind
    /// The live query.
    package let query: LiveQueryID
    /// The JSON array of the fields that changed, for ``Kind/update``, ``Kind/enter`` and ``Kind/leave``; `nil` for
    /// others.
    package let updatedKeys: [UInt8]?
    /// The object as JSON.
    ///
    /// It has `__type`, `className`, `objectId` and, if the client is allowed to read them, the fields of the newest
    /// state. All events about one change share the storage of equal objects.
    package let object: [UInt8]

    /// Creates an event from encoded parts.
    package init(_ kind: Kind, of query: LiveQueryID, updatedKeys: [UInt8]? = nil, object: [UInt8]) {
        self.kind = kind
        self.query = query
        self.updatedKeys = updatedKeys
        self.object = object
    }

    /// The size in bytes by which queues are limited.
    package var size: Int { object.count + (updatedKeys?.count ?? 0) + 128 }

    /// The event as JSON text: `{"op":…,"query_id":…,"updatedKeys":[…],"object":{…}}`.
    package var json: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(size)
        text.append(contentsOf: #"{"op":"\#(kind.rawValue)","query_id":"\#(query)""#.utf8)
        if let updatedKeys {
            text.append(contentsOf: #","updatedKeys":"#.utf8)
            text.append(contentsOf: updatedKeys)
        }
        text.append(contentsOf: #","object":"#.utf8)
        text.append(contentsOf: object)
        text.append(UInt8(ascii: "}"))
        return text
    }
}
