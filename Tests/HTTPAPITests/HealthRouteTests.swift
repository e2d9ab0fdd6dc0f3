import Domain
import Foundation
import HTTPTypes
import Logging
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// A storage with faults that the test says.
private struct Faulty: StorageInspector {
    let faults: Set<StorageFault>

    func inspect(suspecting suspicion: StorageFault?) -> StorageCondition {
        var condition = StorageCondition()
        condition.faults = faults
        return condition
    }
}

@Suite struct HealthRouteTests {
    private func answer(_ path: String, with faults: Set<StorageFault>) async throws -> (Int, [String: String]) {
        let server = TestServer(health: StorageHealth(inspector: Faulty(faults: faults)))
        server.health.look()
        return try await server.test { client in
            try await client.execute(uri: path, method: .get) { response in
                let body = try JSONDecoder().decode(
                    [String: String].self,
                    from: Data(String(buffer: response.body).utf8)
                )
                return (response.status.code, body)
            }
        }
    }

    @Test("HEAD has the status and no body", arguments: [([], 200), ([.full], 503)] as [(Set<StorageFault>, Int)])
    func head(faults: Set<StorageFault>, status: Int) async throws {
        let server = TestServer(health: StorageHealth(inspector: Faulty(faults: faults)))
        server.health.look()
        try await server.test { client in
            let response = try await client.execute(uri: "/health", method: .head)
            #expect(response.status.code == status)
            #expect(response.body.readableBytes == 0)
        }
    }

    @Test("a sound storage is ok", arguments: ["/health", "/health?live", "/health?x=1"])
    func sound(path: String) async throws {
        let (status, body) = try await answer(path, with: [])
        #expect(status == 200)
        #expect(body == ["status": "ok"])
    }

    @Test("a fault is 503 with its kind", arguments: StorageFault.allCases)
    func fault(_ fault: StorageFault) async throws {
        let (status, body) = try await answer("/health", with: [fault])
        #expect(status == 503)
        #expect(body == ["status": fault.rawValue, "error": fault.message])
    }

    @Test("of several faults the gravest is the status, and all are told")
    func several() async throws {
        let (_, body) = try await answer("/health", with: [.full, .damaged])
        #expect(body["status"] == "damaged")
        #expect(body["error"] == "The server's storage is damaged. The server's storage is full.")
    }

    @Test(
        "who asks only for life is told of no fault",
        arguments: ["/health?live", "/health?live=1", "/health?a&live"]
    )
    func life(path: String) async throws {
        let (status, body) = try await answer(path, with: [.full, .readOnly])
        #expect(status == 200)
        #expect(body == ["status": "ok"])
    }

    @Test("a database or a store that cannot be reached is no fault of the storage, and has a code of its own")
    func unavailable() {
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let error = ServiceError(.unavailable, "The database cannot be reached.", cause: Broken())
        #expect(StorageFault(error) == nil)
        #expect(ErrorRenderer.refusal(error, logger: quiet).status == 503)
        let body = ErrorRenderer.json(of: error, logger: quiet)
        #expect(body == .object(["code": .integer(511), "error": .string("The database cannot be reached.")]))
    }

    @Test(
        "each fault has a status and a code",
        arguments: [(.full, 507, 507), (.readOnly, 503, 503), (.failing, 500, 1), (.damaged, 500, 1)]
            as [(StorageFault, Int, Int64)]
    )
    func rendering(fault: StorageFault, status: Int, code: Int64) {
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (_, rendered) = ErrorRenderer.refusal(fault.error(cause: Broken()), logger: quiet)
        #expect(rendered.code == status)
        let body = ErrorRenderer.json(of: fault.error(cause: Broken()), logger: quiet)
        #expect(body == .object(["code": .integer(code), "error": .string(fault.message)]))
    }
}
