/// The processor time in which one request can add changes to its transaction, because all other writers wait for it.
///
/// Waits do not count, such as those for a distant database or for a processor that is busy: a request that is accepted
/// on one machine is accepted on another, too. Created and used in the body of a transaction, which runs on one thread; a
/// body that runs again has all of the time.
struct TransactionTime {
    private let limit: Duration
    private let name: String
    private let isSingle: Bool
    private let began = Duration.threadTime

    /// Begins the time.
    ///
    /// - Parameters:
    ///   - limit: The time.
    ///   - name: The request, for the error's message.
    ///   - count: The number of objects in the request; a request with one has no limit, as it cannot be divided.
    init(_ limit: Duration, of name: String, objects count: Int) {
        self.limit = limit
        self.name = name
        isSingle = count == 1
    }

    /// Accepts the next object.
    ///
    /// - Throws: ``ServiceError/Code/timedOut`` if the time is over.
    func acceptObject() throws {
        guard isSingle || Duration.threadTime - began < limit else {
            throw ServiceError(
                .timedOut,
                "\(name) takes longer than \(limit) of processor time, the limit of one transaction, and changes no "
                    + "object; send fewer objects at once."
            )
        }
    }
}
