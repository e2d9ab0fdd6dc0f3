/// What the queue knows of a delivery: the status, the target, and with whose rights the target is queried.
///
/// The rights are those of the author when the status was published: its session can end before the delivery does.
struct DeliveryOrder: Sendable {
    let delivery: StatusDelivery
    let target: StatusTarget
    let isMaster: Bool
    let user: ObjectID?
    let roles: Set<String>

    init(delivery: StatusDelivery, target: StatusTarget, caller: Caller) {
        self.delivery = delivery
        self.target = target
        isMaster = caller.isMaster
        user = caller.user?.id
        roles = caller.user?.roles ?? []
    }

    /// Reads the order of a job; `nil` for one that only another program can have written.
    init?(_ job: PeopleJob) {
        guard let members = job.delivery?.objectValue, let target = try? StatusTarget(members["target"]),
            let source = members["source"]?.stringValue.flatMap(ObjectID.init),
            let type = try? InboxType(members["inboxType"])
        else { return nil }
        delivery = StatusDelivery(status: job.subject, source: source, type: type)
        self.target = target
        isMaster = members["master"] == .bool(true)
        user = members["user"]?.stringValue.flatMap(ObjectID.init)
        roles = Set(members["roles"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    }

    /// The form in which the queue stores the order.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "target": target.json, "source": .string(delivery.source.description),
            "inboxType": .string(delivery.type.description), "master": .bool(isMaster),
            "roles": .array(roles.sorted().map(JSONValue.string)),
        ]
        members["user"] = user.map { .string($0.description) }
        return .object(members)
    }

    /// The caller with the rights of the author; its session does not matter for queries.
    func caller(of app: AppID) -> Caller {
        Caller(app: app, isMaster: isMaster, user: user.map { Caller.User(id: $0, session: $0, roles: roles) })
    }
}
