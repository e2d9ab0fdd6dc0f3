internal import Domain

extension ServerState {
    /// The members of the answer.
    var json: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "version": .string(version),
            "startedAt": .string(startedAt.iso8601),
            "time": .string(Timestamp.now().iso8601),
            "ready": .bool(obstacles.isEmpty),
            "reasons": .array(obstacles.map { reason($0.rawValue, $0.message) }),
            "faults": .array(faults.map { reason($0.rawValue, $0.message) }),
            "app": .object(figures.mapValues(JSONValue.figure)),
        ]
        members["commit"] = commit.map(JSONValue.string)
        return members
    }

    private func reason(_ name: String, _ message: String) -> JSONValue {
        .object(["name": .string(name), "message": .string(message)])
    }
}

extension MachineState {
    /// The member of the answer.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "libraries": .object(libraries.mapValues(JSONValue.string)),
            "queues": .array(queues.map { queue($0.name, $0.status) }),
            "connections": .object([
                "open": .integer(Int64(connections.open)), "limit": .integer(Int64(connections.limit)),
            ]),
            "figures": .object(figures.mapValues(JSONValue.figure)),
        ]
        members["certificateEnd"] = certificateEnd.map { .string($0.iso8601) }
        return .object(members)
    }

    private func queue(_ name: String, _ status: QueueStatus) -> JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name), "jobs": .integer(Int64(status.jobs)), "waiting": .integer(Int64(status.waiting)),
        ]
        members["limit"] = status.limit.map { .integer(Int64($0)) }
        return .object(members)
    }
}

extension FailedRequest {
    /// An element of the answer.
    var json: JSONValue {
        .object([
            "time": .string(time.iso8601), "id": .string(id), "client": .string(client), "method": .string(method),
            "path": .string(path), "status": .integer(Int64(status)), "message": .string(message),
            "ms": .number(duration / .milliseconds(1)),
        ])
    }
}

extension SettingInForce {
    /// An element of the answer.
    var json: JSONValue {
        var members: [String: JSONValue] = ["name": .string(name), "isDefault": .bool(isDefault)]
        members["value"] = value.map(JSONValue.string)
        return .object(members)
    }
}

extension JSONValue {
    /// A figure: whole numbers have no decimal point.
    fileprivate static func figure(_ value: Double) -> JSONValue {
        Int64(exactly: value).map(JSONValue.integer) ?? .number(value)
    }
}
