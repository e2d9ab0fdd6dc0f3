internal import Synchronization

/// How the subscriptions of an installation come into memory when its first connection is attached.
///
/// A task of its own reads the rows and compiles their conditions, for some installations at a time. The task of the
/// matcher then reads the rows again, in the order of the changes, and lets the events begin. So many log-ins with costly
/// conditions do not delay events.
extension LiveRows {
    /// The maximum number of installations whose rows one transaction reads: together up to 2000 rows of 16 KB with the
    /// usual limits.
    private static let pageSize = 20
    /// The size of parsed queries after which a page takes no further installation, in bytes.
    private static let parsedSize = 8 << 20

    /// The installations whose rows have to be parsed next; `nil` if none waits, or others are being loaded.
    func nextPage() -> [InstallationID: Int]? {
        let waiting = registry.waiting(atMost: LiveRows.pageSize)
        guard !waiting.isEmpty, loading.begin() else { return nil }
        return waiting
    }

    /// Reads the rows of installations and parses their queries, for ``load()``.
    ///
    /// If the store fails, the connections are told so and removed.
    ///
    /// - Parameter waiting: Installations, each with the number of its first connection.
    func parse(_ waiting: [InstallationID: Int]) async {
        do {
            let rows = try await store.read { try $0.liveRows(of: waiting.keys) }
            let ofInstallation = Dictionary(grouping: rows, by: \.installation)
            var page = LiveLoading.Page()
            var size = 0
            for (id, number) in waiting.sorted(by: { $0.value < $1.value }) where size < LiveRows.parsedSize {
                for row in ofInstallation[id] ?? [] {
                    guard !Task.isCancelled else { return loading.finish(nil) }
                    let query = query(of: row)
                    size += query?.size ?? 0
                    page.queries.updateValue(query, forKey: row.id)
                }
                page.installations[id] = number
            }
            loading.finish(page)
        } catch {
            loading.finish(nil)
            guard !Task.isCancelled else { return }
            for connection in registry.refuse(waiting.keys) { connection.fail(error) }
        }
    }

    /// Adds the subscriptions of installations whose queries are parsed, and lets their events begin.
    ///
    /// If the store fails, or they take too much memory, the connections are told so and removed.
    func load() async {
        guard let page = loading.take() else { return }
        let waiting = page.installations
        do {
            let found = try await store.read { [self] reader in
                try reader.liveRows(of: waiting.keys).compactMap { row -> LiveRegistry.Loaded? in
                    guard let known = page.queries[row.id] else { return try subscription(row, reader) }
                    return try known.map { try loaded(row, $0, reader) }
                }
            }
            let attached = registry.load(found, of: waiting)
            await registry.awaitRecording(of: Set(found.map(\.row.className)), in: store)
            for connection in attached.begun { connection.begin() }
            for refusal in attached.refused { refusal.connection.fail(refusal.error) }
        } catch {
            guard !Task.isCancelled else { return }
            for connection in registry.refuse(waiting.keys) { connection.fail(error) }
        }
    }

    /// The subscription of a row; `nil` for one that this server cannot serve.
    func subscription(_ row: LiveRow, _ reader: any ReadTransaction) throws -> LiveRegistry.Loaded? {
        try query(of: row).map { try loaded(row, $0, reader) }
    }

    private func loaded(
        _ row: LiveRow,
        _ query: LiveQuery,
        _ reader: any ReadTransaction
    ) throws -> LiveRegistry.Loaded {
        LiveRegistry.Loaded(row: row, query: query, schema: try reader.schema(of: query.className))
    }

    /// The query of a row; `nil` for one that this server cannot serve.
    private func query(of row: LiveRow) -> LiveQuery? {
        do {
            // The condition of the request, which can have the maximum depth, is inside of the query.
            let json = try JSONValue(
                parsing: Array(row.query.utf8),
                field: "query",
                depth: JSONValue.deepestStored,
                values: JSONValue.maxValues
            )
            return try LiveQuery(json, limits: registry.limits, queries: settings.queries, engine: engine)
        } catch {
            if let id = row.id.row { complain(of: id, error) }
            return nil
        }
    }
}

extension ReadTransaction {
    /// The rows of the subscriptions of installations.
    fileprivate func liveRows(of installations: some Sequence<InstallationID>) throws -> [LiveRow] {
        try find(ObjectQuery(.liveQuery, where: LiveRow.belongs(toAny: installations), page: .all))
            .compactMap { LiveRow($0) }
            .filter { !$0.isEnded }
    }
}

/// The installations whose rows are being read, one page at a time; thread-safe.
final class LiveLoading: Sendable {
    /// Installations whose queries are parsed.
    struct Page: Sendable {
        /// The installations, each with the number of its first connection.
        var installations: [InstallationID: Int] = [:]
        /// The queries of their rows; `nil` for one that this server cannot serve.
        var queries: [LiveQueryID: LiveQuery?] = [:]
    }

    private enum State {
        case idle
        case parsing
        case parsed(Page)
    }

    private let state = Mutex(State.idle)

    /// Begins a page; `false` if another one is not loaded yet.
    func begin() -> Bool {
        state.withLock { state in
            guard case .idle = state else { return false }
            state = .parsing
            return true
        }
    }

    /// Ends the parsing of a page; `nil` if it failed.
    func finish(_ page: Page?) {
        state.withLock { $0 = page.map(State.parsed) ?? .idle }
    }

    /// Takes the parsed page; `nil` if there is none.
    func take() -> Page? {
        state.withLock { state in
            guard case .parsed(let page) = state else { return nil }
            state = .idle
            return page
        }
    }
}
