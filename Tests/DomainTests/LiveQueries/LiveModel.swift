@testable import Domain

/// What live queries have to tell, computed as plainly as possible: every subscription is evaluated for every change.
struct LiveModel {
    enum Who: Hashable {
        case master
        case guest
        case user(Int)
    }

    struct Subscription {
        let condition: JSONValue
        var who: Who
        let returnsACL: Bool
    }

    /// The ids of the users.
    let users: [ObjectID]
    var objects: [ObjectID: StoredObject] = [:]
    var subscriptions: [LiveQueryID: Subscription] = [:]
    /// The members of the role Inner, which is a member of the role Outer.
    var inner: Set<Int> = []
    /// The users whose session has ended.
    var ended: Set<Int> = []
    /// Who finds objects of the class: everyone, users, role:Outer or one user.
    var audience = "everyone"
    /// The events of each subscription.
    var events: [LiveQueryID: [String]] = [:]

    init(users: [ObjectID]) {
        self.users = users
    }

    /// Applies a change and notes its events; `nil` deletes the object.
    mutating func change(_ id: ObjectID, to after: StoredObject?) {
        let before = objects[id]
        objects[id] = after
        for (query, subscription) in subscriptions {
            let held = before.map { matches(subscription, $0) } ?? false
            let holds = after.map { matches(subscription, $0) } ?? false
            let isReadable = after.map { reads(subscription.who, $0) } ?? false
            let kind: LiveEvent.Kind
            switch (held, holds) {
            case (false, false): continue
            case (false, true): kind = before == nil ? .create : .enter
            case (true, true): kind = .update
            case (true, false): kind = after == nil ? .delete : .leave
            }
            var line = kind.rawValue
            if kind != .create, kind != .delete {
                line += " " + (isReadable ? keys(before, after, subscription) : []).joined(separator: ",")
            }
            line += " " + shown(id, isReadable ? after : nil, subscription)
            events[query, default: []].append(line)
        }
    }

    /// Whether a caller is allowed to query the class.
    func finds(_ who: Who) -> Bool {
        switch (who, audience) {
        case (.master, _), (_, "everyone"): true
        case (.guest, _): false
        case (.user(let user), _) where ended.contains(user): false
        case (.user, "users"): true
        case (.user(let user), "role:Outer"): inner.contains(user)
        case (.user(let user), _): audience == "user:\(users[user])"
        }
    }

    private func matches(_ subscription: Subscription, _ object: StoredObject) -> Bool {
        reads(subscription.who, object)
            && PlainCondition.holds(subscription.condition, visible(object, subscription.who), object.id)
    }

    private func reads(_ who: Who, _ object: StoredObject) -> Bool {
        guard finds(who) else { return false }
        guard who != .master, let acl = object.acl?.json else { return true }
        var subjects = ["*"]
        if case .user(let user) = who, !ended.contains(user) {
            subjects.append(users[user].description)
            if inner.contains(user) { subjects += ["role:Inner", "role:Outer"] }
        }
        return subjects.contains { acl[$0]?.objectValue?["read"] == .bool(true) }
    }

    private func visible(_ object: StoredObject, _ who: Who) -> [String: JSONValue] {
        object.fields.filter { who == .master || $0.key != "hidden" }
    }

    private func keys(_ before: StoredObject?, _ after: StoredObject?, _ subscription: Subscription) -> [String] {
        guard let before, let after else { return [] }
        let (old, new) = (visible(before, subscription.who), visible(after, subscription.who))
        var names = Set(old.keys).union(new.keys).filter { name in
            guard let old = old[name], let new = new[name] else { return true }
            return !PlainCondition.areSame(old, new)
        }
        if subscription.returnsACL, before.acl != after.acl { names.insert("ACL") }
        return names.sorted()
    }

    private func shown(_ id: ObjectID, _ object: StoredObject?, _ subscription: Subscription) -> String {
        var members: [String: JSONValue] = [
            "__type": "Object", "className": "Task", "objectId": .string(id.description),
        ]
        if let object {
            members.merge(visible(object, subscription.who)) { _, field in field }
            members["createdAt"] = .string(object.createdAt.iso8601)
            members["updatedAt"] = .string(object.updatedAt.iso8601)
            if subscription.returnsACL { members["ACL"] = .object((object.acl ?? .everyone).json) }
        }
        return String(decoding: JSONValue.object(members).encoded(), as: UTF8.self)
    }
}

/// A `where` of the operators that the histories use, evaluated on its JSON.
enum PlainCondition {
    static func holds(_ condition: JSONValue, _ fields: [String: JSONValue], _ id: ObjectID) -> Bool {
        (condition.objectValue ?? [:]).allSatisfy { name, wanted in
            if name == "$or" { return (wanted.arrayValue ?? []).contains { holds($0, fields, id) } }
            if name == "$and" { return (wanted.arrayValue ?? []).allSatisfy { holds($0, fields, id) } }
            let path = name.split(separator: ".").map(String.init)
            let top = path[0] == "objectId" ? .string(id.description) : fields[path[0]]
            let found = top.map { values($0, path.dropFirst()) } ?? []
            let tests = wanted.objectValue ?? [:]
            guard tests.keys.contains(where: { $0.hasPrefix("$") }) else { return equals(found, wanted) }
            return tests.allSatisfy { test($0, $1, found) }
        }
    }

    private static func test(_ name: String, _ wanted: JSONValue, _ found: [JSONValue]) -> Bool {
        switch name {
        case "$ne": !equals(found, wanted)
        case "$in": (wanted.arrayValue ?? []).contains { equals(found, $0) }
        case "$nin": !(wanted.arrayValue ?? []).contains { equals(found, $0) }
        case "$all": (wanted.arrayValue ?? []).allSatisfy { equals(found, $0) }
        case "$exists": found.isEmpty != (wanted == .bool(true))
        case "$gt": withElements(found).contains { number($0, wanted, >) }
        case "$lte": withElements(found).contains { number($0, wanted, <=) }
        case "$regex":
            withElements(found).contains { $0.stringValue?.hasPrefix((wanted.stringValue ?? "").dropFirst()) ?? false }
        default: preconditionFailure(name)
        }
    }

    private static func equals(_ found: [JSONValue], _ wanted: JSONValue) -> Bool {
        if wanted == .null, found.isEmpty { return true }
        return withElements(found).contains { areSame($0, wanted) }
    }

    /// Whether two values are equal; 1 equals 1.0.
    static func areSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
        left == right || number(left, right, ==)
    }

    private static func number(_ left: JSONValue, _ right: JSONValue, _ holds: (Double, Double) -> Bool) -> Bool {
        guard let left = left.numberValue, let right = right.numberValue else { return false }
        return holds(left, right)
    }

    private static func withElements(_ found: [JSONValue]) -> [JSONValue] {
        found + found.flatMap { $0.arrayValue ?? [] }
    }

    private static func values(_ value: JSONValue, _ path: ArraySlice<String>) -> [JSONValue] {
        guard let name = path.first else { return [value] }
        switch value {
        case .object(let members): return members[name].map { values($0, path.dropFirst()) } ?? []
        case .array(let elements): return elements.flatMap { $0.objectValue == nil ? [] : values($0, path) }
        default: return []
        }
    }
}
