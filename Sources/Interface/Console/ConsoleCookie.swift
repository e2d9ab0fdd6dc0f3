internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// The cookie with the token of a session and its app: `<app>.<token>`.
struct ConsoleCookie: Sendable {
    let app: AppID
    let token: ConsoleToken

    /// The cookie of a new session.
    init(app: AppID, token: ConsoleToken) {
        self.app = app
        self.token = token
    }

    /// The cookie of a request; `nil` if it has none, or one of another form.
    init?(_ request: Request) {
        guard let text = request.cookies[ConsoleCookie.name(for: request)]?.value,
            let dot = text.firstIndex(of: "."), let app = AppID(String(text[..<dot])),
            let token = ConsoleToken(String(text[dot...].dropFirst()))
        else { return nil }
        self.init(app: app, token: token)
    }

    /// The field that sets the cookie for as long as the session can last.
    func field(for request: Request, life: Int, isEncrypted: Bool) -> Cookie {
        ConsoleCookie.cookie("\(app).\(token.revealed)", for: request, life: life, isEncrypted: isEncrypted)
    }

    /// The field that removes the cookie.
    static func removal(for request: Request, isEncrypted: Bool) -> Cookie {
        cookie("", for: request, life: 0, isEncrypted: isEncrypted)
    }

    /// Cookies do not differ by port, so their names do: two servers on one machine do not end each other's sessions.
    private static func name(for request: Request) -> String {
        "lcfile-console-\(request.head.authority?.portSuffix.dropFirst() ?? "")"
    }

    private static func cookie(_ value: String, for request: Request, life: Int, isEncrypted: Bool) -> Cookie {
        Cookie(
            name: name(for: request),
            value: value,
            maxAge: life,
            path: "/console",
            secure: isEncrypted,
            httpOnly: true,
            sameSite: .strict
        )
    }
}
