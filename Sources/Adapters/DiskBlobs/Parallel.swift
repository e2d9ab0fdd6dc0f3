internal import Dispatch
internal import Synchronization

/// Runs a blocking body for each element, on one thread per processor; the results come in order.
///
/// For commands, which have their own process: the calling thread waits until all bodies have ended. It then throws the
/// error of a failed one.
func inParallel<Element: Sendable, Output: Sendable>(
    _ elements: [Element],
    _ body: @Sendable (Element) throws -> Output
) throws -> [Output] {
    let outcomes = Outcomes<Output>(count: elements.count)
    DispatchQueue.concurrentPerform(iterations: elements.count) { index in
        outcomes.set(Result { try body(elements[index]) }, at: index)
    }
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
