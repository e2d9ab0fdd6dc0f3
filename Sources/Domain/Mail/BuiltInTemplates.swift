/// The mails and pages of lcfile, by the names of the files with which an operator replaces them.
enum BuiltInTemplates {
    static let texts: [String: String] = mails.merging(pages) { $1 }

    private static let mails = [
        "verify-mail.en.txt": """
        Subject: Confirm your email address for {{app}}
        Hello,

        please open this link to confirm that {{email}} is your address for {{app}}:

        {{link}}

        The link is valid for {{lifetime}}. If you did not give this address to {{app}}, ignore this mail.

        """,
        "verify-mail.en.html": mail(
            "en",
            "<p>Hello,</p><p>please confirm that {{email}} is your address for {{app}}:</p>",
            "Confirm the address",
            """
            <p>Or copy this link to your browser: {{link}}</p><p>The link is valid for {{lifetime}}. If you did not \
            give this address to {{app}}, ignore this mail.</p>
            """
        ),
        "verify-mail.zh.txt": """
        Subject: 请验证您在 {{app}} 的邮箱
        您好：

        请打开以下链接，确认 {{email}} 是您在 {{app}} 使用的邮箱：

        {{link}}

        链接在 {{lifetime}}内有效。如果这不是您本人的操作，请忽略本邮件。

        """,
        "verify-mail.zh.html": mail(
            "zh",
            "<p>您好：</p><p>请确认 {{email}} 是您在 {{app}} 使用的邮箱：</p>",
            "验证邮箱",
            "<p>也可以将此链接复制到浏览器打开：{{link}}</p><p>链接在 {{lifetime}}内有效。如果这不是您本人的操作，请忽略本邮件。</p>"
        ),
        "reset-mail.en.txt": """
        Subject: Reset your password for {{app}}
        Hello,

        someone asked for a new password for {{email}} at {{app}}. Open this link to set one:

        {{link}}

        The link is valid for {{lifetime}} and works once. If you did not ask for it, ignore this mail: your password
        stays as it is.

        """,
        "reset-mail.en.html": mail(
            "en",
            "<p>Hello,</p><p>someone asked for a new password for {{email}} at {{app}}.</p>",
            "Set a new password",
            """
            <p>Or copy this link to your browser: {{link}}</p><p>The link is valid for {{lifetime}} and works once. If \
            you did not ask for it, ignore this mail: your password stays as it is.</p>
            """
        ),
        "reset-mail.zh.txt": """
        Subject: 重设您在 {{app}} 的密码
        您好：

        我们收到了重设 {{email}} 在 {{app}} 的密码的请求。请打开以下链接设置新密码：

        {{link}}

        链接在 {{lifetime}}内有效，只能使用一次。如果这不是您本人的操作，请忽略本邮件，密码不会改变。

        """,
        "reset-mail.zh.html": mail(
            "zh",
            "<p>您好：</p><p>我们收到了重设 {{email}} 在 {{app}} 的密码的请求。</p>",
            "设置新密码",
            "<p>也可以将此链接复制到浏览器打开：{{link}}</p><p>链接在 {{lifetime}}内有效，只能使用一次。如果这不是您本人的操作，请忽略本邮件，密码不会改变。</p>"
        ),
    ]

    private static let pages = [
        "page.en.html": layout("en"),
        "page.zh.html": layout("zh-CN"),
        "verify-page.en.html": """
        Title: Confirm your email address
        <h1>Confirm your email address</h1><p>Is <strong>{{email}}</strong> your address for {{app}}?</p>{{form}}
        """,
        "verify-page.zh.html": """
        Title: 验证邮箱
        <h1>验证邮箱</h1><p>请确认 <strong>{{email}}</strong> 是您在 {{app}} 使用的邮箱。</p>{{form}}
        """,
        "verified-page.en.html": """
        Title: Address confirmed
        <h1>Address confirmed</h1><p><strong>{{email}}</strong> is confirmed. You can close this page.</p>{{continue}}
        """,
        "verified-page.zh.html": """
        Title: 邮箱已验证
        <h1>邮箱已验证</h1><p><strong>{{email}}</strong> 验证成功，您可以关闭本页面。</p>{{continue}}
        """,
        "reset-page.en.html": """
        Title: Set a new password
        <h1>Set a new password</h1><p>For <strong>{{email}}</strong> at {{app}}.</p>{{form}}
        """,
        "reset-page.zh.html": """
        Title: 设置新密码
        <h1>设置新密码</h1><p>帐号：<strong>{{email}}</strong>（{{app}}）</p>{{form}}
        """,
        "reset-done-page.en.html": """
        Title: Password changed
        <h1>Password changed</h1><p>You can now log in with the new password.</p>{{continue}}
        """,
        "reset-done-page.zh.html": """
        Title: 密码已重设
        <h1>密码已重设</h1><p>您现在可以使用新密码登录。</p>{{continue}}
        """,
        "invalid-page.en.html": """
        Title: This link is not valid
        <h1>This link is not valid</h1><p>It was used before, has expired, or belongs to an old address. Ask for a new \
        mail in the app.</p>
        """,
        "invalid-page.zh.html": """
        Title: 链接无效
        <h1>链接无效</h1><p>链接已被使用、已过期，或不再属于当前邮箱。请在应用中重新发送邮件。</p>
        """,
    ]

    private static func mail(_ language: String, _ beginning: String, _ button: String, _ end: String) -> String {
        """
        <!doctype html>
        <html lang="\(language)"><body style="font-family:sans-serif;line-height:1.5">
        \(beginning)
        <p><a href="{{link}}">\(button)</a></p>
        \(end)
        </body></html>

        """
    }

    private static func layout(_ language: String) -> String {
        """
        <!doctype html>
        <html lang="\(language)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <title>{{title}}</title>
        <style>\(style)</style>
        </head>
        <body><main>{{content}}</main></body>
        </html>

        """
    }

    private static let style = """
        :root{color-scheme:light dark}*{box-sizing:border-box}
        body{margin:0;font:1rem/1.5 system-ui,sans-serif}
        main{max-width:28rem;margin:0 auto;padding:2rem 1rem;overflow-wrap:anywhere}
        h1{font-size:1.5rem;line-height:1.25}
        label{display:block;margin-top:1rem}
        input{width:100%;padding:.5rem;font:inherit;border:1px solid #767676;border-radius:.25rem}
        button{margin-top:1.5rem;padding:.625rem 1.25rem;font:inherit;border:0;border-radius:.25rem;\
        color:#fff;background:#0b57d0;cursor:pointer}
        :focus-visible{outline:3px solid #f29900;outline-offset:2px}
        [role=alert]{padding:.5rem .75rem;border-left:4px solid #b3261e}
        """
}
