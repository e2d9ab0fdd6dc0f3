import Domain
import Testing

@testable import HTTPAPI

@Suite struct BodyMemoryTests {
    private let memory = BodyMemory(limit: 400)
    private let app = AppID("app")

    private func user(_ id: String) throws -> CallerIdentity {
        .user(try #require(ObjectID(String(repeating: id, count: 24))), in: try #require(app))
    }

    @Test("one guest or user holds a quarter at most")
    func quarter() throws {
        for sender in [CallerIdentity.guest(address: "10.0.0.1"), try user("a")] {
            let (first, second) = (memory.share(of: sender), memory.share(of: sender))
            #expect(first.tryGrow(by: 60))
            #expect(!second.tryGrow(by: 41))
            #expect(second.tryGrow(by: 40))
            #expect(throws: ServiceError.self) { try first.grow(by: 1) }
            first.end()
            #expect(second.tryGrow(by: 60))
            second.end()
        }
        #expect(memory.used == 0)
    }

    @Test("all guests hold half at most, guests and users three quarters, the master key all of it")
    func kinds() throws {
        let guests = (1...3).map { memory.share(of: .guest(address: "10.0.0.\($0)")) }
        #expect(guests[0].tryGrow(by: 100))
        #expect(guests[1].tryGrow(by: 100))
        #expect(!guests[2].tryGrow(by: 1))
        let users = try ["a", "b"].map { memory.share(of: try user($0)) }
        #expect(users[0].tryGrow(by: 100))
        #expect(!users[1].tryGrow(by: 1))
        let master = memory.share(of: .master)
        #expect(master.tryGrow(by: 100))
        #expect(!master.tryGrow(by: 1))
        #expect(memory.used == 400)
    }

    @Test("users have memory while the master key holds most")
    func master() throws {
        let master = memory.share(of: .master)
        #expect(master.tryGrow(by: 350))
        let user = memory.share(of: try user("a"))
        #expect(user.tryGrow(by: 50))
        #expect(!user.tryGrow(by: 1))
    }

    @Test("a body that exceeds the limit of its sender alone is too large; others are to try again")
    func tooLarge() throws {
        for (sender, limit) in [(CallerIdentity.guest(address: "10.0.0.1"), 100), (.master, 400)] {
            let (first, second) = (memory.share(of: sender), memory.share(of: sender))
            #expect(first.tryGrow(by: 10))
            for (bytes, code) in [(limit, ServiceError.Code.overloaded), (limit + 1, .payloadTooLarge)] {
                let error = #expect(throws: ServiceError.self) { try second.grow(by: bytes) }
                #expect(error?.code == code)
            }
            first.end()
        }
    }

    @Test("what is given back is free, and not more than was held")
    func givenBack() {
        let share = memory.share(of: .guest(address: "10.0.0.1"))
        #expect(share.tryGrow(by: 80))
        share.shrink(by: 30)
        #expect(memory.used == 50)
        share.shrink(by: 1000)
        #expect(memory.used == 0)
        share.end()
        share.end()
        #expect(memory.used == 0)
    }

    @Test("the refusal is 429's, and names the setting")
    func refusal() {
        #expect(memory.share(of: .master).tryGrow(by: 1))
        let error = #expect(throws: ServiceError.self) { try memory.share(of: .master).grow(by: 400) }
        #expect(error?.code == .overloaded)
        #expect(error?.message.contains("http.bodyMemory") == true)
    }
}
