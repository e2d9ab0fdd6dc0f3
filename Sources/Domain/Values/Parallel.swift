internal import Dispatch
internal import Synchronization

/// Runs a blocking body for each element, on one thread per processor; the results come in order.
///
/// For commands, which have their own process: the calling thread waits until all bodies have ended. It then throws the
/// error of a failed one.
package func inParallel<Element: Sendable, Output: Sendable>(
    _ elements: [Element],
    _ body: @Sendable (Element) throws -> Output
) throws -> [Output] {
    let outcomes = Outcomes<Output>(count: elements.count)
    DispatchQueue.concurrentPerform(iterations: elements.count) { index in
        outcomes.set(Result { try body(elements[index]) }, at: index)
    }
    return try outcomes.outputs()
}

/// Runs a blocking body for each element, on a number of threads; the results come in order.
///
/// For bodies that wait for a network or for syncs, which more threads than processors can do at the same time. The
/// error of a failed body is thrown after all have ended; when one has failed, no other begins.
package func inParallel<Element: Sendable, Output: Sendable>(
    _ elements: [Element],
    threads: Int,
    _ body: @escaping @Sendable (Element) throws -> Output
) throws -> [Output] {
    let outcomes = Outcomes<Output>(count: elements.count)
    let next = Mutex(0)
    let end = DispatchGroup()
    for _ in 0..<min(threads, elements.count) {
        // A serial queue has a thread of its own; those of a concurrent queue are as many as processors.
        DispatchQueue(label: "lcfile.parallel").async(group: end) {
            while true {
                let index = next.withLock { next in
                    defer { next += 1 }
                    return next
                }
                guard index < elements.count else { return }
                let result = Result { try body(elements[index]) }
                outcomes.set(result, at: index)
                if case .failure = result { next.withLock { $0 = elements.count } }
            }
        }
    }
    end.wait()
    return try outcomes.outputs()
}

/// The results, written by several threads and then read by one.
private final class Outcomes<Output: Sendable>: Sendable {
    private let results: Mutex<[Result<Output, any Error>?]>

    init(count: Int) {
        results = Mutex(Array(repeating: nil, count: count))
    }

    func set(_ result: Result<Output, any Error>, at index: Int) {
        results.withLock { $0[index] = result }
    }

    func outputs() throws -> [Output] {
        let results = results.withLock { $0 }
        return try results.compactMap { try $0?.get() }
    }
}
