internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// The pages of one request for a link, in the language of its reader.
struct LinkPage {
    private let templates: MailTemplates
    private let language: MailLanguage

    init(templates: MailTemplates, request: Request) {
        self.templates = templates
        language = MailLanguage(acceptLanguage: request.headers[.acceptLanguage] ?? "")
    }

    /// What is wrong with the password in a form.
    enum Fault {
        /// It differs from its repetition.
        case differ
        /// It is empty or too long.
        case unusable
    }

    /// The form that uses a link.
    func form(_ link: MailLink, _ fault: Fault? = nil) -> Response {
        let words = LinkPage.words(language)
        let alert = fault.map { #"<p role="alert">\#($0 == .differ ? words.differ : words.unusable)</p>"# } ?? ""
        let fields =
            switch link.purpose {
            case .verify: ""
            case .reset: LinkPage.passwordFields(link.to, words)
            }
        let button = link.purpose == .verify ? words.verify : words.reset
        let markup = #"\#(alert)<form method="post">\#(fields)<button type="submit">\#(button)</button></form>"#
        let html = templates.page(.form(link.purpose), language, email: link.to, markup: markup)
        return response(html, fault == nil ? .ok : .badRequest)
    }

    /// The page after a link was used, with a way to the next page.
    func done(_ link: MailLink, continuing target: String?) -> Response {
        let words = LinkPage.words(language)
        let markup = target.map { #"<p><a href="\#($0.escapedForHTML)">\#(words.next)</a></p>"# } ?? ""
        return response(templates.page(.done(link.purpose), language, email: link.to, markup: markup), .ok)
    }

    /// The page of a link that is not valid; it does not tell why.
    func invalid() -> Response {
        response(templates.page(.invalid, language), .notFound)
    }

    /// The address is in the form so that programs store the password with it.
    private static func passwordFields(_ email: String, _ words: Words) -> String {
        """
        <input type="hidden" name="username" autocomplete="username" value="\(email.escapedForHTML)">\
        <label for="password">\(words.password)</label>\
        <input id="password" name="password" type="password" autocomplete="new-password" required autofocus>\
        <label for="again">\(words.again)</label>\
        <input id="again" name="again" type="password" autocomplete="new-password" required>
        """
    }

    /// The page contains no script, is not cached, and does not send its URL, which has the token, as a referrer.
    private func response(_ html: String, _ status: HTTPResponse.Status) -> Response {
        let styles = templates.styleHashes.isEmpty ? "'none'" : templates.styleHashes.joined(separator: " ")
        let policy =
            "default-src 'none'; style-src \(styles); img-src 'self'; form-action 'self'; base-uri 'none'; "
            + "frame-ancestors 'none'"
        let headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .contentSecurityPolicy: policy,
            .known("Referrer-Policy"): "no-referrer", .known("X-Frame-Options"): "DENY",
            .xContentTypeOptions: "nosniff", .contentLanguage: language == .chinese ? "zh-CN" : "en",
            .vary: "Accept-Language",
        ]
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    private struct Words {
        let verify: String
        let reset: String
        let password: String
        let again: String
        let differ: String
        let unusable: String
        let next: String
    }

    private static func words(_ language: MailLanguage) -> Words {
        switch language {
        case .english:
            Words(
                verify: "Confirm",
                reset: "Set password",
                password: "New password",
                again: "New password, again",
                differ: "The two passwords differ.",
                unusable: "This password cannot be used: it is empty or too long.",
                next: "Continue"
            )
        case .chinese:
            Words(
                verify: "验证",
                reset: "设置密码",
                password: "新密码",
                again: "再次输入新密码",
                differ: "两次输入的密码不一致。",
                unusable: "该密码无法使用：不能为空，也不能过长。",
                next: "继续"
            )
        }
    }
}
