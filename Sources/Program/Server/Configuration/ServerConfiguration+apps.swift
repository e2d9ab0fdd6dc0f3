internal import Domain

extension ServerConfiguration {
    /// The account settings of an app.
    func accounts(of app: AppConfiguration) -> AccountSettings {
        var accounts = accounts
        accounts.verifiesEmail = app.verifiesEmail ?? accounts.verifiesEmail
        accounts.requiresVerifiedEmail = app.requiresVerifiedEmail ?? accounts.requiresVerifiedEmail
        accounts.verifiesPhone = app.verifiesPhone ?? accounts.verifiesPhone
        accounts.requiresVerifiedPhone = app.requiresVerifiedPhone ?? accounts.requiresVerifiedPhone
        if sharesSessionTokens { accounts.sessionSecret = SessionSecret(masterKey: app.keys.masterKey) }
        return accounts
    }

    /// Which URLs of an app's files need a signature.
    func privacy(of app: AppConfiguration) -> FilePrivacy {
        FilePrivacy(
            access: app.fileAccess ?? privacy.access,
            images: app.imageAccess ?? privacy.images,
            life: privacy.life,
            signatures: URLSignatures(
                app: app.id,
                secrets: privacy.keys.isEmpty ? [app.keys.masterKey] : privacy.keys
            )
        )
    }

    /// Which downloads of an app are redirected.
    func redirects(of app: AppConfiguration) -> DownloadRedirects {
        var redirects = redirects
        redirects.files = app.downloadRedirects ?? redirects.files
        return redirects
    }

    /// The limits of one app's concurrent queries.
    var queryAdmission: QueryAdmission.Limits {
        QueryAdmission.Limits(
            readers: threads.databaseReaders,
            perCaller: queries.concurrent,
            wait: 2 * queries.timeout
        )
    }
}
