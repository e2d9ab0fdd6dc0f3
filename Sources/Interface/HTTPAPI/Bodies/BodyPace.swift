internal import Domain

/// The minimum speed at which the body of a request must arrive.
struct BodyPace {
    /// The time for which the server waits for any body, however slow.
    static let grace = Duration.seconds(30)

    /// Bytes a second.
    let speed: Int
    private var arrived = 0
    private var waited = Duration.zero

    /// - Parameter speed: Bytes a second, 1 or more.
    init(speed: Int) {
        self.speed = speed
    }

    /// Records the arrival of bytes.
    ///
    /// - Parameters:
    ///   - bytes: Their number.
    ///   - time: How long the server waited for them.
    /// - Throws: ``ServiceError/Code/timedOut`` naming the speed.
    mutating func take(_ bytes: Int, after time: Duration) throws {
        arrived += bytes
        waited += time
        guard waited > BodyPace.grace + .seconds(arrived / speed) else { return }
        throw BodyPace.refusal(speed: speed)
    }

    /// The error for a body that arrives at fewer bytes a second.
    static func refusal(speed: Int) -> ServiceError {
        ServiceError(
            .timedOut,
            "The request body arrived too slowly: after \(grace.components.seconds) seconds it must arrive at "
                + "\(speed) bytes a second."
        )
    }
}
