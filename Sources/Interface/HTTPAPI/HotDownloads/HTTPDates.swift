internal import Domain
internal import Glibc
internal import NIOHTTP1
internal import Synchronization

/// The current time in the form of HTTP (RFC 9110 section 5.6.7), formatted once a second; thread-safe.
final class HTTPDates: Sendable {
    private let current = Mutex<(second: Int, text: String)>((0, ""))

    /// The current time, in whole seconds.
    var now: String {
        let second = time(nil)
        return current.withLock { current in
            if current.second != second { current = (second, Timestamp.now().httpDate) }
            return current.text
        }
    }

    /// Sets `Date` to the current time in its place among the fields of a response, if it is there.
    func renew(_ fields: inout HTTPHeaders) {
        guard fields.contains(name: "Date") else { return }
        fields = HTTPHeaders(fields.map { ($0.name, $0.name == "Date" ? now : $0.value) })
    }
}
