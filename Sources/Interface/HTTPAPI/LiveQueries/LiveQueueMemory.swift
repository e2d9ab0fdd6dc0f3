internal import Domain
internal import Synchronization

/// The memory of the events that wait for all clients of the server, of which those for the clients at one address can
/// have a quarter; thread-safe.
///
/// Events about one change share the storage of equal objects. Such a storage counts once, and once for each address
/// for whose clients it waits.
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

    /// What counts together: all events, or those for the clients at one address.
    private struct Account {
        /// The counted bytes.
        var size = 0
        /// The number of events, by the address of the storage.
        private var users: [UInt: Int] = [:]

        var isEmpty: Bool { size == 0 && users.isEmpty }

        /// The bytes that an event would add.
        func cost(of storages: [Storage]) -> Int {
            storages.reduce(Storage.fixedSize) { users[$1.address] == nil ? $0 + $1.size : $0 }
        }

        mutating func add(_ storages: [Storage]) {
            size += cost(of: storages)
            for storage in storages { users[storage.address, default: 0] += 1 }
        }

        mutating func remove(_ storages: [Storage]) {
            size -= Storage.fixedSize
            for storage in storages {
                guard let count = users[storage.address] else { continue }
                users[storage.address] = count > 1 ? count - 1 : nil
                if count == 1 { size -= storage.size }
            }
        }
    }

    private struct State {
        var all = Account()
        var ofAddress: [String: Account] = [:]
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
    ///   - address: The client address; `nil` has no share.
    ///   - isFirst: Whether no other event waits for the client. A client that reads fast enough has only such events,
    ///     and is not sent away because other clients use all of the memory.
    /// - Returns: `false` if the event was not counted, because the memory or the part of the address is used up. The
    ///   only event for an address can have any size.
    func add(_ event: LiveEvent, for address: String?, isFirst: Bool) -> Bool {
        let storages = event.storages
        return state.withLock { state in
            if !isFirst, state.all.size + state.all.cost(of: storages) > limit { return false }
            if let address {
                if let own = state.ofAddress[address], own.size + own.cost(of: storages) > share { return false }
                state.ofAddress[address, default: Account()].add(storages)
            }
            state.all.add(storages)
            return true
        }
    }

    /// Ends the counting of an event, which must exist until the call returns.
    func remove(_ event: LiveEvent, for address: String?) {
        let storages = event.storages
        state.withLock { state in
            state.all.remove(storages)
            guard let address else { return }
            state.ofAddress[address]?.remove(storages)
            if state.ofAddress[address]?.isEmpty == true { state.ofAddress[address] = nil }
        }
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
