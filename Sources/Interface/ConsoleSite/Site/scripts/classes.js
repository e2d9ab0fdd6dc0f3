// The classes that hold the server's own state.

const internal = new Set([
  '_Session', '_Identity', '_Upload', '_UploadPart', '_Usage', '_Deletion', '_Trash', '_Damage', '_GoneKey', '_Mail',
  '_MailLink', '_Sms', '_SmsCode', '_Captcha', '_Inbox', '_InboxItem', '_PeopleJob', '_CensorJob', '_CensorRun',
  '_CensorLog', '_CensorSettings', '_KnownImage', '_ConsoleSession', '_ConsoleAudit', '_LiveQuery',
]);

/// Whether a class holds the server's own state: its objects are shown and not changed, its permissions are fixed.
export function isInternal(className) {
  return internal.has(className);
}
