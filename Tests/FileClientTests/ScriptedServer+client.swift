import Support

@testable import FileClient

extension ScriptedServer {
    /// A client of the server that repeats without delays.
    func client(_ change: (inout FileClientOptions) -> Void = { _ in }) -> FileClient {
        var options = FileClientOptions()
        options.retries.firstDelay = .milliseconds(1)
        options.retries.longestDelay = .milliseconds(2)
        change(&options)
        return FileClient(server: url, appID: "app", appKey: "key", options: options)
    }
}
