/// The minimum speed of a body of which a large part waits in memory, such as the fields of a form before its file.
///
/// Unlike ``BodyPace`` it does not count bytes that arrived faster: a client could send the part that waits at once,
/// and then hold its memory with a few bytes a second, which uploads are allowed.
struct BufferedPace {
    /// The bytes in memory up to which the body can have any speed.
    static let free = 16 << 10

    /// How long the server waited longer than the bytes allowed.
    private var lag = Duration.zero

    /// Records the arrival of bytes.
    ///
    /// - Parameters:
    ///   - bytes: Their number.
    ///   - time: How long the server waited for them.
    ///   - held: The bytes of the body in memory while the server waited.
    /// - Throws: ``ServiceError/Code/timedOut`` naming the speed, that of JSON bodies.
    mutating func take(_ bytes: Int, after time: Duration, holding held: Int) throws {
        guard held > BufferedPace.free else { return }
        lag = max(.zero, lag + time - .seconds(bytes) / RequestBodies.minSpeed)
        guard lag <= BodyPace.grace else { throw BodyPace.refusal(speed: RequestBodies.minSpeed) }
    }
}
