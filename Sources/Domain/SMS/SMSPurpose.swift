/// What the code in an SMS is for; a code of one purpose does not serve another one; only
/// ``SMSPurpose/signingUp`` joins two.
package enum SMSPurpose: String, Sendable, CaseIterable {
    /// Anything that the app decides: `requestSmsCode`.
    case generic
    /// Verify that a number belongs to its user.
    case verifyPhone
    /// Log in.
    case logIn
    /// Set a new password.
    case resetPassword
    /// Give a user another number.
    case changePhone

    /// The purposes whose codes log in or sign up at `usersByMobilePhone`: SDKs request the code by `requestSmsCode`
    /// (protocol/data 6.4), and a code for a log-in proves the same.
    static let signingUp: [SMSPurpose] = [.generic, .logIn]
}
