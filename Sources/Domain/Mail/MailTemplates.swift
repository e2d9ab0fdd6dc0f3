internal import Crypto
internal import FoundationEssentials

/// All mails and pages in both languages: those of lcfile, and those of the operator's folder in their place
/// (`mail.templates`).
package struct MailTemplates: Sendable {
    /// The name of the app in mails and pages.
    package let appName: String
    /// The hashes of the style sheets of pages, for their content security policy.
    package let styleHashes: [String]
    /// A template with the first line of its file.
    private struct Entry: Sendable {
        let title: TextTemplate
        let body: TextTemplate
    }

    private let entries: [String: Entry]

    /// The kinds of templates.
    private enum Kind: String, CaseIterable {
        case verifyMail = "verify-mail"
        case resetMail = "reset-mail"
        case layout = "page"
        case verify = "verify-page"
        case verified = "verified-page"
        case reset = "reset-page"
        case resetDone = "reset-done-page"
        case invalid = "invalid-page"

        var formats: [String] {
            switch self {
            case .verifyMail, .resetMail: ["txt", "html"]
            default: ["html"]
            }
        }

        var variables: (allowed: [String], required: [String]) {
            switch self {
            case .verifyMail, .resetMail: (["app", "email", "link", "lifetime"], ["link"])
            case .layout: (["app", "title", "content"], ["content"])
            case .verify, .reset: (["app", "email", "form"], ["form"])
            case .verified, .resetDone: (["app", "email", "continue"], [])
            case .invalid: (["app"], [])
            }
        }

        /// The beginning of the first line of a file, with the subject or title; `nil` if it has none.
        func title(_ format: String) -> String? {
            switch self {
            case .verifyMail, .resetMail: format == "txt" ? "Subject:" : nil
            case .layout: nil
            default: "Title:"
            }
        }
    }

    /// Parses the templates.
    ///
    /// - Parameters:
    ///   - files: The texts of the operator by the names of their files, such as `verify-mail.en.txt`.
    ///   - appName: The name of the app.
    /// - Throws: ``TemplateFault`` naming the file.
    package init(replacing files: [String: String] = [:], appName: String) throws(TemplateFault) {
        self.appName = appName
        var texts = BuiltInTemplates.texts
        for (name, text) in files {
            guard texts[name] != nil else {
                throw TemplateFault(
                    "\(name) is not the name of a template; the names are "
                        + texts.keys.sorted().joined(separator: ", ")
                )
            }
            texts[name] = text
        }
        var entries: [String: Entry] = [:]
        var hashes: Set<String> = []
        for kind in Kind.allCases {
            for language in MailLanguage.allCases {
                for format in kind.formats {
                    let name = "\(kind.rawValue).\(language.rawValue).\(format)"
                    do {
                        entries[name] = try MailTemplates.entry(texts[name, default: ""], kind, format)
                    } catch {
                        throw TemplateFault("\(name) \(error.message)")
                    }
                    guard kind == .layout else { continue }
                    let page = texts[name, default: ""].replacing("\r\n", with: "\n")
                    hashes.formUnion(MailTemplates.styleHashes(in: page))
                }
            }
        }
        self.entries = entries
        styleHashes = hashes.sorted()
    }

    private static func entry(_ text: String, _ kind: Kind, _ format: String) throws(TemplateFault) -> Entry {
        let (allowed, required) = kind.variables
        var body = text.replacing("\r\n", with: "\n")[...]
        var title = ""
        if let mark = kind.title(format) {
            let line = body.prefix { $0 != "\n" }
            guard line.hasPrefix(mark) else { throw TemplateFault("does not begin with a line '\(mark) …'") }
            title = String(line.dropFirst(mark.count).drop { $0 == " " })
            body = body.dropFirst(line.count).drop { $0 == "\n" }
        }
        return Entry(
            title: try TextTemplate(title, allowed: ["app"]),
            body: try TextTemplate(String(body), allowed: allowed, required: required)
        )
    }

    /// The sources of a content security policy for the `<style>` elements of a page (CSP level 3, section 6.6.2).
    private static func styleHashes(in text: String) -> [String] {
        var rest = text[...]
        var hashes: [String] = []
        while let start = rest.firstRange(of: "<style>") {
            rest = rest[start.upperBound...]
            guard let end = rest.firstRange(of: "</style>") else { break }
            let digest = SHA256.hash(data: Array(rest[..<end.lowerBound].utf8))
            hashes.append("'sha256-\(Data(digest).base64EncodedString())'")
            rest = rest[end.upperBound...]
        }
        return hashes
    }

    private func entry(_ kind: Kind, _ language: MailLanguage, _ format: String) -> Entry? {
        entries["\(kind.rawValue).\(language.rawValue).\(format)"]
    }

    /// The subject and both bodies of a mail.
    func mail(
        _ purpose: MailPurpose,
        _ language: MailLanguage,
        _ values: [String: String]
    ) -> (subject: String, text: String, html: String) {
        let kind = purpose == .verify ? Kind.verifyMail : .resetMail
        let (text, html) = (entry(kind, language, "txt"), entry(kind, language, "html"))
        return (
            text?.title.filled(values, isHTML: false) ?? "",
            text?.body.filled(values, isHTML: false) ?? "",
            html?.body.filled(values, isHTML: true) ?? ""
        )
    }

    /// A page as HTML.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - language: Its language.
    ///   - email: The user's address.
    ///   - markup: The form, or the link to the next page, as HTML.
    /// - Returns: The whole page.
    package func page(_ page: Page, _ language: MailLanguage, email: String = "", markup: String = "") -> String {
        let kind: Kind =
            switch page {
            case .form(.verify): .verify
            case .form(.reset): .reset
            case .done(.verify): .verified
            case .done(.reset): .resetDone
            case .invalid: .invalid
            }
        let content = entry(kind, language, "html")
        let values = ["app": appName, "email": email, "form": markup, "continue": markup]
        let filled = content?.body.filled(values, markup: ["form", "continue"], isHTML: true) ?? ""
        let title = content?.title.filled(values, isHTML: false) ?? ""
        return entry(.layout, language, "html")?.body.filled(
            ["app": appName, "title": title, "content": filled],
            markup: ["content"],
            isHTML: true
        ) ?? filled
    }

    /// The pages behind links.
    package enum Page: Sendable, Hashable {
        /// The form with which a reader uses the link.
        case form(MailPurpose)
        /// The page after that.
        case done(MailPurpose)
        /// The page of a link that is not valid.
        case invalid
    }
}
