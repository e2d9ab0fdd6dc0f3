internal import Synchronization

/// An engine that bounds the memory of the regular expressions that it compiles; equal ones share one compiled form.
///
/// One instance serves one request or one live query: it retains its expressions as long as it lives. Thread-safe.
package final class BoundedPatterns: PatternEngine {
    /// What determines a compiled form: bytes, because `String` treats two spellings of `é` as equal.
    private struct Source: Hashable {
        let text: [UInt8]
        let options: [UInt8]
    }

    private struct State {
        var patterns: [Source: any CompiledPattern] = [:]
        /// The bytes of all of ``patterns``.
        var size = 0
    }

    private let engine: any PatternEngine
    private let limit: Int
    private let setting: String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - engine: Compiles the expressions; it can be another instance with another limit.
    ///   - limit: The maximum size of all compiled forms together in bytes.
    ///   - setting: The setting of the limit, for messages.
    package init(_ engine: any PatternEngine, limit: Int, setting: String) {
        self.engine = engine
        self.limit = limit
        self.setting = setting
    }

    /// Creates an engine for one request or one `where` (`queries.maxPatternMemory`).
    ///
    /// - Parameters:
    ///   - engine: Compiles the expressions.
    ///   - limits: The limits of queries.
    package convenience init(_ engine: any PatternEngine, _ limits: QueryLimits) {
        self.init(engine, limit: limits.patternMemory, setting: "queries.maxPatternMemory")
    }

    /// The size of all compiled forms together in bytes.
    var size: Int { state.withLock(\.size) }

    /// Compiles an expression, or returns the compiled form of an equal one.
    ///
    /// Throws the errors of the engine, and ``ServiceError/Code/malformedJSON`` naming the limit; an expression beyond it
    /// is not retained and does not count.
    package func compile(_ text: String, options: String, path: String) throws -> any CompiledPattern {
        let source = Source(text: Array(text.utf8), options: Array(options.utf8))
        return try state.withLock { state -> any CompiledPattern in
            if let known = state.patterns[source] { return known }
            let pattern = try engine.compile(text, options: options, path: path)
            let size = state.size + pattern.size
            guard size <= limit else {
                throw ServiceError(
                    .malformedJSON,
                    "\(path) brings the compiled regular expressions to \(size) bytes; the limit is \(limit) (\(setting))."
                )
            }
            state.patterns[source] = pattern
            state.size = size
            return pattern
        }
    }
}
