internal import Domain
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// Reads JSON bodies within the limits of their senders and of all bodies together (docs/security.md, "Conditions and
/// bodies").
///
/// A body is read and processed inside a closure, so that its memory counts until the response is made. Large bodies
/// are processed on separate threads, so that small requests never wait for them.
struct RequestBodies: Sendable {
    let limits: WireLimits
    private let memory: BodyMemory
    private let threads: (any TaskExecutor)?

    /// The size in bytes from which bodies are processed on the threads for large bodies.
    private static let large = 64 << 10
    /// The minimum speed of a JSON body in bytes a second: its bytes wait in memory for the last one.
    static let minSpeed = 8 << 10

    /// - Parameters:
    ///   - limits: The limits of bodies and of their memory.
    ///   - threads: Processes large bodies; `nil` means that they are processed like all others.
    init(limits: WireLimits, threads: (any TaskExecutor)?) {
        self.limits = limits
        self.threads = threads
        memory = BodyMemory(limit: limits.bodyMemory)
    }

    /// The memory of all bodies together and its limit, in bytes.
    var usedMemory: (used: Int, limit: Int) { (memory.used, limits.bodyMemory) }

    /// Reads a whole body as one JSON value and processes it; an empty body is null.
    ///
    /// - Returns: The result of the work.
    /// - Throws: ``ServiceError/Code/payloadTooLarge`` naming the limit, ``ServiceError/Code/overloaded``,
    ///   ``ServiceError/Code/malformedJSON``, and the errors of the work.
    func json<Value>(
        of request: Request,
        _ context: CallerContext,
        _ work: (JSONValue) async throws -> Value
    ) async throws -> Value {
        try await text(of: request, context) { body in try await work(try body.json()) }
    }

    /// Reads a whole body, up to the caller's limit, and processes its text.
    ///
    /// - Returns: The result of the work.
    /// - Throws: As ``text(of:from:upTo:_:)``.
    func text<Value>(
        of request: Request,
        _ context: CallerContext,
        _ work: (JSONBody) async throws -> Value
    ) async throws -> Value {
        let sender = context.caller.identity
        return try await text(of: request, from: sender, upTo: limits.bodySize(of: sender), work)
    }

    /// Reads a whole body and processes its text.
    ///
    /// - Returns: The result of the work.
    /// - Throws: ``ServiceError/Code/payloadTooLarge`` naming the limit, ``ServiceError/Code/overloaded``, and the
    ///   errors of the work.
    func text<Value>(
        of request: Request,
        from sender: CallerIdentity,
        upTo limit: BodyLimit,
        _ work: (JSONBody) async throws -> Value
    ) async throws -> Value {
        let share = memory.share(of: sender)
        defer { share.end() }
        let text = try await collect(request, upTo: limit, share)
        let body = JSONBody(text: text, share: share, maxValues: limits.valueCount(of: sender))
        guard let threads, text.readableBytes >= RequestBodies.large else { return try await work(body) }
        return try await withTaskExecutorPreference(threads) { try await work(body) }
    }

    /// A share of the memory for a body that is read elsewhere; its owner ends it.
    func share(for context: CallerContext) -> BodyMemory.Share {
        share(for: context.caller.identity)
    }

    /// The same for a sender.
    func share(for sender: CallerIdentity) -> BodyMemory.Share {
        memory.share(of: sender)
    }

    private func collect(
        _ request: Request,
        upTo limit: BodyLimit,
        _ share: BodyMemory.Share
    ) async throws -> ByteBuffer {
        try request.headers.requireNoCompression()
        let announced = request.announcedSize ?? 0
        guard announced <= limit.size else { throw limit.refusal }
        var text = ByteBuffer()
        var pace = BodyPace(speed: RequestBodies.minSpeed)
        var start = ContinuousClock.now
        for try await var bytes in request.body {
            guard text.readableBytes + bytes.readableBytes <= limit.size else { throw limit.refusal }
            try share.grow(by: bytes.readableBytes)
            let now = ContinuousClock.now
            try pace.take(bytes.readableBytes, after: now - start)
            start = now
            if text.readableBytes == 0 {
                text = bytes
                continue
            }
            // Unwritten pages take no memory, and a buffer of the right size is never copied.
            if text.readableBytes >= RequestBodies.large { text.reserveCapacity(Int(announced)) }
            text.writeBuffer(&bytes)
        }
        return text
    }
}

/// A request's body as unparsed JSON; the code that parses it adds the memory of the values to the request's share.
struct JSONBody: Sendable {
    let text: ByteBuffer
    let share: BodyMemory.Share
    /// The maximum number of values in the body, or in one item of a batch.
    let maxValues: Int

    /// The whole body as one value; an empty body is null.
    func json() throws -> JSONValue {
        guard text.readableBytes > 0 else { return .null }
        return try withText { try parse($0).value }
    }

    /// A part of the body as one value, whose memory counts in the share as the value grows.
    ///
    /// - Parameters:
    ///   - text: The whole body.
    ///   - range: The range of the value; `nil` means the whole body.
    ///   - field: The name of the input, for error messages.
    ///   - depth: The maximum nesting of arrays and objects.
    /// - Returns: The value, and its memory, which the caller releases.
    /// - Throws: The errors of the parser and of the share; no memory stays counted then.
    func parse(
        _ text: UnsafeBufferPointer<UInt8>,
        in range: Range<Int>? = nil,
        field: String = "The body",
        depth: Int = JSONValue.maxDepth
    ) throws -> (value: JSONValue, memory: Int) {
        var counted = 0
        func count(_ bytes: Int) throws {
            try share.grow(by: bytes)
            counted += bytes
        }
        do {
            let (value, memory) = try JSONValue.parse(
                text,
                in: range,
                field: field,
                depth: depth,
                values: maxValues
            ) { bytes in
                do {
                    try count(bytes)
                    return nil
                } catch {
                    return error as? ServiceError ?? ServiceError(.internalFailure, "Internal error.", cause: error)
                }
            }
            try count(memory - counted)
            return (value, counted)
        } catch {
            share.shrink(by: counted)
            throw error
        }
    }

    /// A part of the body as one value, with its memory, which counts in the share.
    func value(at range: Range<Int>) throws -> (value: JSONValue, memory: Int) {
        try withText { try parse($0, in: range) }
    }

    /// Passes the bytes to a closure that must not retain them.
    func withText<Value>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Value) throws -> Value {
        try text.withUnsafeReadableBytes { bytes in
            try bytes.withMemoryRebound(to: UInt8.self) { try body($0) }
        }
    }
}
