internal import Domain
internal import Synchronization

/// The memory of the events that wait for all clients of the server, of which those for the clients at one address can
/// have a quarter; thread-safe.
///
/// Events about one change share the storage of equal objects. Such a storage counts once, and once for each address
/// for whose clients it waits.
///
/// If too much waits, the clients with the longest queues have to go away, not those that get the next event: a client
/// that reads fast enough loses nothing because of a slow one, also at the same address.
final class LiveQueueMemory: Sendable {
    /// Bytes of the JSON of an event.
    fileprivate struct Storage {
        /// Where it begins, which identifies it while the event exists.
        let address: UInt
        /// The size in bytes.
        let size: Int

        /// The size of an event without its JSON, in bytes.
        static let fixedSize = 128
    }

    /// Whose events count together.
    private enum Key: Hashable {
        /// Those for all clients at an address.
        case address(String)
        /// Those of one queue, where addresses have no limit.
        case queue(ObjectIdentifier)
    }

    /// What counts together: all events, or those of a key.
    private struct Account {
        /// The counted bytes.
        var size = 0
        /// The number of events.
        private(set) var count = 0
        /// The number of events, by the address of the storage.
        private var users: [UInt: Int] = [:]

        /// Whether the events take more than a limit; one alone can have any size.
        func exceeds(_ limit: Int) -> Bool { count > 1 && size > limit }

        mutating func add(_ storages: [Storage]) {
            count += 1
            size += Storage.fixedSize
            for storage in storages {
                if users[storage.address] == nil { size += storage.size }
                users[storage.address, default: 0] += 1
            }
        }

        mutating func remove(_ storages: [Storage]) {
            count -= 1
            size -= Storage.fixedSize
            for storage in storages {
                guard let count = users[storage.address] else { continue }
                users[storage.address] = count > 1 ? count - 1 : nil
                if count == 1 { size -= storage.size }
            }
        }
    }

    /// The queue of one client.
    private struct Queue {
        weak var outbox: LiveQueryOutbox?
        /// The number of events.
        var count = 0
        /// The bytes of the events, as if no other client waited for equal ones.
        var size = 0

        /// The same as for clients, of one queue.
        func rank(_ gotEvent: Bool) -> (Int, Int, Int) {
            (count > 1 ? 1 : 0, size, gotEvent ? 0 : 1)
        }
    }

    /// The queues of a key in which events wait.
    private struct Client {
        var account = Account()
        var queues: [ObjectIdentifier: Queue] = [:]

        /// Clients with a higher one go first: those in whose queues more than one event waits, then those with more bytes.
        func rank(_ gotEvent: Bool) -> (Int, Int, Int) {
            (account.count > queues.count ? 1 : 0, account.size, gotEvent ? 0 : 1)
        }
    }

    private struct State {
        var all = Account()
        var clients: [Key: Client] = [:]
    }

    /// The maximum for all clients in bytes.
    let limit: Int
    /// The maximum for the clients at one address in bytes.
    let share: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
        share = LiveBudget(limit: limit).share
    }

    /// The counted bytes.
    var size: Int { state.withLock(\.all.size) }

    /// Counts an event that begins to wait.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - outbox: The queue.
    ///   - address: The client address; `nil` has no share.
    /// - Returns: Whether too much waits now: call ``longest(insteadOf:for:)``.
    func add(_ event: LiveEvent, to outbox: LiveQueryOutbox, for address: String?) -> Bool {
        let storages = event.storages
        let id = ObjectIdentifier(outbox)
        let key = LiveQueueMemory.key(of: id, at: address)
        return state.withLock { state in
            state.all.add(storages)
            var client = state.clients.removeValue(forKey: key) ?? Client()
            client.account.add(storages)
            var queue = client.queues[id] ?? Queue(outbox: outbox)
            queue.count += 1
            queue.size += Storage.fixedSize + storages.reduce(0) { $0 + $1.size }
            client.queues[id] = queue
            state.clients[key] = client
            return state.all.exceeds(limit) || (address != nil && client.account.exceeds(share))
        }
    }

    /// Ends the counting of an event, which must exist until the call returns.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - id: Identifies the queue.
    ///   - address: The client address of the queue.
    func remove(_ event: LiveEvent, from id: ObjectIdentifier, for address: String?) {
        let storages = event.storages
        let key = LiveQueueMemory.key(of: id, at: address)
        state.withLock { state in
            state.all.remove(storages)
            guard var client = state.clients.removeValue(forKey: key) else { return }
            client.account.remove(storages)
            client.queues[id]?.count -= 1
            client.queues[id]?.size -= Storage.fixedSize + storages.reduce(0) { $0 + $1.size }
            if client.queues[id]?.count == 0 { client.queues[id] = nil }
            if !client.queues.isEmpty { state.clients[key] = client }
        }
    }

    /// The queue whose client has to go away because too much waits; `nil` if no more waits than the limits allow.
    ///
    /// It is the longest one at the address if the share is used up, otherwise that of the address with most. A queue
    /// with one event, of any size, is the last to go: its client can be a fast one. Call it without the lock of a queue,
    /// because the queue that has to go can be any.
    ///
    /// - Parameters:
    ///   - outbox: The queue that got an event; another one that is as long has to go first.
    ///   - address: The client address of the queue.
    /// - Returns: The queue.
    func longest(insteadOf outbox: LiveQueryOutbox, for address: String?) -> LiveQueryOutbox? {
        let id = ObjectIdentifier(outbox)
        let key = LiveQueueMemory.key(of: id, at: address)
        return state.withLock { state in
            let client: Client?
            if address != nil, let own = state.clients[key], own.account.exceeds(share) {
                client = own
            } else if state.all.exceeds(limit) {
                client = state.clients.max { $0.value.rank($0.key == key) < $1.value.rank($1.key == key) }?.value
            } else {
                client = nil
            }
            return client?.queues.max { $0.value.rank($0.key == id) < $1.value.rank($1.key == id) }?.value.outbox
        }
    }

    private static func key(of id: ObjectIdentifier, at address: String?) -> Key {
        address.map(Key.address) ?? .queue(id)
    }
}

extension LiveEvent {
    /// The storages of the JSON.
    fileprivate var storages: [LiveQueueMemory.Storage] {
        [object, updatedKeys ?? []].compactMap { bytes in
            guard !bytes.isEmpty else { return nil }
            let address = bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            return LiveQueueMemory.Storage(address: address, size: bytes.count)
        }
    }
}
