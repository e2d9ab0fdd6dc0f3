internal import Domain
internal import HTTPAPI

extension ServerConfiguration {
    /// What the operator must know of settings that can be used, but hardly as they are.
    ///
    /// - Parameter apps: The apps that are served.
    /// - Returns: A sentence for each.
    package func warnings(for apps: [AppConfiguration]) -> [String] {
        [localURLWarning, verificationWarning(apps), plainLinkWarning, numberWarning(apps), loggedCodesWarning]
            .compactMap(\.self)
    }

    /// File URLs begin with an address that clients of other machines cannot reach.
    private var localURLWarning: String? {
        let isOpen = ["0.0.0.0", "::", "[::]"].contains(host)
        guard publicURL == nil, isOpen || !http.proxies.networks.isEmpty else { return nil }
        return "publicURL is not set: file URLs begin with \(fileURLBase)."
    }

    /// Users cannot verify the address that they need.
    private func verificationWarning(_ apps: [AppConfiguration]) -> String? {
        let isRequired = apps.contains { $0.requiresVerifiedEmail ?? accounts.requiresVerifiedEmail }
        guard mail.server == nil, isRequired else { return nil }
        return "accounts.requireVerifiedEmail (requireVerifiedEmail of an app) without mail.server: "
            + "users whose address is not verified cannot log in, and nothing is sent that verifies it."
    }

    /// Users cannot verify the number that they need.
    private func numberWarning(_ apps: [AppConfiguration]) -> String? {
        let isRequired = apps.contains { $0.requiresVerifiedPhone ?? accounts.requiresVerifiedPhone }
        guard sms.provider == .off, isRequired else { return nil }
        return "accounts.requireVerifiedPhone (requireVerifiedPhone of an app) without sms.provider: "
            + "users whose number is not verified cannot log in with it, and no code is sent that verifies it."
    }

    /// Who reads the log can log in as every user with a number.
    private var loggedCodesWarning: String? {
        guard sms.provider == .log else { return nil }
        return "sms.provider is log: no SMS are sent, and their codes are in the log. It is for development only."
    }

    /// Who reads the traffic between a mail's reader and the server can use the links.
    private var plainLinkWarning: String? {
        guard mail.server != nil, let publicURL, publicURL.hasPrefix("http://") else { return nil }
        return "publicURL begins with http://: the links in mails, which reset passwords, are not encrypted."
    }
}
