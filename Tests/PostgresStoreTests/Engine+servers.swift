import Domain
import Foundation
import Testing

@testable import PostgresStore

extension Engine {
    /// What the servers of a store agree on.
    static func coordination(_ store: PostgresObjectStore) throws -> any ServerCoordination {
        try #require(store.coordination)
    }

    /// Ends the connections of one store on the server's side.
    ///
    /// They have the application name of its address, and a word in their last statement. `direct` is an address without
    /// a proxy.
    static func endConnections(
        of address: PostgresAddress,
        running word: String = "",
        through direct: PostgresAddress? = nil
    ) throws {
        try PostgresConnection((direct ?? address).named("ending")).run(
            """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
            WHERE application_name = \(address.applicationName) AND query LIKE '%' || \(word) || '%'
            """
        )
    }
}

extension PostgresAddress {
    /// The same address for a store whose connections the server can tell from others.
    func named(_ name: String) -> PostgresAddress {
        PostgresAddress(url: url, schema: schema, applicationName: name, timeout: timeout, patience: patience)
    }
}

extension LossyProxy {
    /// Starts a proxy in front of the server of an address; the address through it has an application name of its own.
    static func between(
        _ direct: PostgresAddress,
        timeout: Int = 10,
        patience: Int = 60
    ) throws -> (LossyProxy, PostgresAddress) {
        var url = try #require(URLComponents(string: direct.url))
        let proxy = try LossyProxy(to: UInt16(try #require(url.port)))
        url.port = Int(proxy.port)
        let own = PostgresAddress(
            url: try #require(url.string),
            schema: direct.schema,
            applicationName: direct.schema,
            timeout: timeout,
            patience: patience
        )
        return (proxy, own)
    }
}
