import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

@Suite struct ReadinessRouteTests {
    private func answer(_ method: String, with obstacles: Set<Readiness.Obstacle>) async throws -> TestResponse {
        let server = TestServer()
        for check in Readiness.Check.allCases { server.readiness.record(check, obstacles) }
        return try await server.test { try await $0.send(method, "/ready", nil, [:]) }
    }

    @Test("a server without an obstacle is ready")
    func ready() async throws {
        let response = try await answer("GET", with: [])
        #expect(response.status == .ok)
        #expect(response.text == #"{"status":"ready"}"#)
    }

    @Test("each obstacle is 503 with its name and message", arguments: Readiness.Obstacle.allCases)
    func obstacle(_ obstacle: Readiness.Obstacle) async throws {
        let response = try await answer("GET", with: [obstacle])
        #expect(response.status == .serviceUnavailable)
        let reason = JSONValue.object(["name": .string(obstacle.rawValue), "message": .string(obstacle.message)])
        #expect(
            try response.json() == [
                "status": .string("not ready"), "error": .string(obstacle.message), "reasons": .array([reason]),
            ]
        )
    }

    @Test("several obstacles are all told, in one order")
    func several() async throws {
        let body = try await answer("GET", with: [.spaceLow, .storageFull]).json()
        #expect(
            body["error"]
                == .string("The server's storage is full. The server's storage has little free space.")
        )
    }

    @Test(
        "HEAD has the status and no body",
        arguments: [([], 200), ([.database], 503)] as [(Set<Readiness.Obstacle>, Int)]
    )
    func head(obstacles: Set<Readiness.Obstacle>, status: Int) async throws {
        let response = try await answer("HEAD", with: obstacles)
        #expect(response.status.code == status)
        #expect(response.body.readableBytes == 0)
    }

    @Test(
        "every answer has the id of the server's start",
        arguments: ["GET", "HEAD"],
        [[], [.storageFull]] as [Set<Readiness.Obstacle>]
    )
    func serverID(method: String, obstacles: Set<Readiness.Obstacle>) async throws {
        let server = TestServer()
        for check in Readiness.Check.allCases { server.readiness.record(check, obstacles) }
        let response = try await server.test { try await $0.send(method, "/ready", nil, [:]) }
        #expect(response.headers[.serverID] == server.readiness.serverID)
    }

    @Test("messages name no path, no number and no setting", arguments: Readiness.Obstacle.allCases)
    func messages(_ obstacle: Readiness.Obstacle) {
        #expect(obstacle.message.allSatisfy { $0.isLetter || " '.-".contains($0) })
        #expect(obstacle.rawValue.allSatisfy { $0.isLowercase || $0 == "-" })
    }
}
