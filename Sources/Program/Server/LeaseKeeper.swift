internal import Domain
internal import ServiceLifecycle

/// Takes and renews the leases of all apps, for the workers that run under them; without other servers it does nothing.
///
/// It must stop after those workers.
struct LeaseKeeper: Service {
    let leases: [Leases]

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for leases in leases { group.addTask { await leases.run() } }
            }
        }
        // The end of a service would end the server.
        try await gracefulShutdown()
    }
}
