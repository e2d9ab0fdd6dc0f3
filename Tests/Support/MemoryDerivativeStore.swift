package import Domain
package import NIOCore
internal import Synchronization

/// Derivatives in memory, for tests of code that uses a ``DerivativeStore``.
package final class MemoryDerivativeStore: DerivativeStore {
    private struct Entry {
        let stored: StoredDerivative
        var use: Int
    }

    private struct State {
        var entries: [DerivativeName: Entry] = [:]
        /// The number of uses, which orders entries by their last use.
        var uses = 0

        var size: Int64 { entries.values.reduce(0) { $0 + $1.stored.blob.size } }
    }

    private let bound: Int64
    private let state = Mutex(State())

    /// - Parameter bound: The maximum number of stored bytes.
    package init(bound: Int64 = .max) {
        self.bound = bound
    }

    /// The number of stored derivatives.
    package var count: Int { state.withLock(\.entries.count) }

    /// Removes all derivatives.
    package func removeAll() {
        state.withLock { $0.entries = [:] }
    }

    package func open(_ name: DerivativeName) async throws -> StoredDerivative? {
        state.withLock { state in
            state.uses += 1
            state.entries[name]?.use = state.uses
            return state.entries[name]?.stored
        }
    }

    package func store(_ bytes: ByteBuffer, as mediaType: MediaType, under name: DerivativeName) async throws {
        state.withLock { state in
            state.uses += 1
            state.entries[name] = nil
            guard bound > 0, bytes.readableBytes <= bound else { return }
            let stored = StoredDerivative(
                blob: MemoryDerivative(bytes: bytes),
                mediaType: mediaType,
                tag: StoredDerivative.tag(of: bytes)
            )
            state.entries[name] = Entry(stored: stored, use: state.uses)
            while state.size > bound, let oldest = state.entries.min(by: { $0.value.use < $1.value.use }) {
                state.entries[oldest.key] = nil
            }
        }
    }

    package func remove(allOf source: String) async throws {
        state.withLock { state in
            state.entries = state.entries.filter { $0.key.source != source }
        }
    }
}

private struct MemoryDerivative: OpenBlob {
    let bytes: ByteBuffer
    var size: Int64 { Int64(bytes.readableBytes) }
    var local: LocalBytes? { .memory(bytes) }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        let start = min(Int(offset), bytes.readableBytes)
        return ByteBuffer(bytes: bytes.readableBytesView.dropFirst(start).prefix(count))
    }
}
