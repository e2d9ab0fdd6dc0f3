/// The addresses of the pages behind links, on the server's own origin.
package struct LinkAddress: Sendable {
    private let app: AppID
    private let base: String

    /// - Parameters:
    ///   - app: The app.
    ///   - base: The URL under which clients reach the server, without a slash at its end.
    package init(app: AppID, base: String) {
        self.app = app
        self.base = base
    }

    /// The URL of a link, in which the token comes first behind `links`, where the log hides it.
    func url(of token: MailToken) -> String {
        "\(base)/1.1/links/\(token.revealed)/\(app)"
    }
}
