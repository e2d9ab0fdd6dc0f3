/// The filters of the buffer of changes: the classes with live queries, and log-ins while users are among them.
struct LiveFilters: Sendable {
    private let subscription: ChangeSubscription
    /// The number of the filter of each class.
    private var classes: [ClassName: Int] = [:]
    /// The number of the filter of log-ins.
    private var logins: Int?
    /// The classes beyond ``maxClasses``, for which all classes are recorded.
    private var others: Set<ClassName> = []
    /// The number of the filter of all classes.
    private var everyClass: Int?

    /// The maximum number of classes with their own filter.
    ///
    /// A client can subscribe to classes that do not exist, and each new filter is work for all writers.
    private static let maxClasses = 200

    init(_ subscription: ChangeSubscription) {
        self.subscription = subscription
    }

    /// Begins to record a class, if it is not recorded.
    ///
    /// - Returns: Whether it was not recorded: changes of transactions that run at this moment do not arrive.
    @discardableResult
    mutating func follow(_ name: ClassName) -> Bool {
        guard classes[name] == nil, !others.contains(name) else { return false }
        if classes.count < LiveFilters.maxClasses {
            classes[name] = subscription.add(ChangeFilter(name, states: [.before, .after]))
        } else {
            others.insert(name)
            everyClass = everyClass ?? subscription.add(ChangeFilter(nil, states: [.before, .after]))
        }
        if name == .user, logins == nil {
            logins = subscription.add(ChangeFilter(.session, [.created, .updated], states: .after))
        }
        return true
    }

    /// Ends the recording of a class.
    mutating func unfollow(_ name: ClassName) {
        if let number = classes.removeValue(forKey: name) { subscription.remove(number) }
        others.remove(name)
        if others.isEmpty, let number = everyClass.take() { subscription.remove(number) }
        if name == .user, let number = logins.take() { subscription.remove(number) }
    }
}
