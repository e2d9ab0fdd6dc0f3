internal import Glibc
internal import NIOCore
internal import Storage

/// Finds out whether the system gives the process enough threads, before the thread pools start.
///
/// SwiftNIO ends the process without a message if a thread of a pool cannot be started.
enum ThreadTrial {
    /// How many threads there are beside the pools: event loops, Swift's and Dispatch's threads, the allocator's.
    static let others = 16 + 2 * System.coreCount

    /// Starts a number of threads, all of which exist at the same time, and ends them.
    ///
    /// - Parameters:
    ///   - count: The number.
    ///   - stackSize: The size of each stack in bytes; `nil` for the default.
    /// - Throws: ``ExitError`` if there are fewer.
    static func require(_ count: Int, stackSize: Int? = nil) throws(ExitError) {
        let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        defer { gate.deallocate() }
        pthread_mutex_init(gate, nil)
        defer { pthread_mutex_destroy(gate) }
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        defer { pthread_attr_destroy(attributes) }
        if let stackSize { pthread_attr_setstacksize(attributes, stackSize) }

        var threads: [pthread_t] = []
        var failure: CInt = 0
        // Each thread ends when it gets the lock.
        pthread_mutex_lock(gate)
        while threads.count < count, failure == 0 {
            var thread = pthread_t()
            failure = pthread_create(&thread, attributes, waitForLock, gate)
            if failure == 0 { threads.append(thread) }
        }
        pthread_mutex_unlock(gate)
        for thread in threads { pthread_join(thread, nil) }
        guard failure != 0 else { return }
        throw ExitError.configuration(
            "the server needs \(count) threads, and the system gives it \(threads.count) "
                + "(\(String(cString: strerror(failure)))); raise TasksMax, --pids-limit, ulimit -u or ulimit -v, or use "
                + "fewer threads for images and databases"
        )
    }
}

private let waitForLock: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { gate in
    if let gate = gate?.assumingMemoryBound(to: pthread_mutex_t.self) {
        pthread_mutex_lock(gate)
        pthread_mutex_unlock(gate)
    }
    return nil
}
