/// What an app does with mails; `nil` where there is such a value means that the server sends none.
package struct MailPolicy: Sendable {
    /// Limits the mails.
    package let allowance: MailAllowance
    /// The pages to which the pages of links can lead.
    package let redirects: RedirectTargets
    /// Whether a new address of a user is sent a link (`accounts.verifyEmail`).
    package let verifiesAddresses: Bool

    /// Creates a policy.
    package init(allowance: MailAllowance, redirects: RedirectTargets, verifiesAddresses: Bool) {
        self.allowance = allowance
        self.redirects = redirects
        self.verifiesAddresses = verifiesAddresses
    }
}
