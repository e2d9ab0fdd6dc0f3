internal import NIOHTTP1

/// The methods by which requests are counted: a client can invent others, which count as one.
package enum RequestMethod: Int, Sendable, CaseIterable {
    case get
    case head
    case post
    case put
    case patch
    case delete
    case options
    case other

    /// The value of the label.
    package var label: String { self == .other ? "other" : "\(self)".uppercased() }

    init(_ method: HTTPMethod) {
        switch method {
        case .GET: self = .get
        case .HEAD: self = .head
        case .POST: self = .post
        case .PUT: self = .put
        case .PATCH: self = .patch
        case .DELETE: self = .delete
        case .OPTIONS: self = .options
        default: self = .other
        }
    }
}
