import { describe, expect, it } from 'vitest'
import {
  accountExistsMail,
  confirmAddressMail,
  newAccountMail,
  noticeMail,
  passwordResetMail,
  loginCodeMail,
  unknownAccountMail,
} from '../../src/accounts/mails/mails.ts'
import { browserName, countryName } from '../../src/accounts/mails/request-facts.ts'
import { type AccountMail, writeMail } from '../../src/accounts/mails/write-mail.ts'

const url = 'https://class-cords.example/accounts/x/'
const evil = 'eve\r\nBcc: b@example.org\u202e<img src=x onerror=alert(1)>"\'&'
const occasion = { when: '2026-11-03 14:05 UTC', where: '198.51.100.7, Portugal', browser: 'Firefox on Windows' }

const notices = [
  ['Password Changed', 'password_changed'],
  ['Password Set', 'password_set'],
  ['Password Reset', 'password_was_reset'],
  ['Email Changed', 'address_changed'],
  ['Email Confirmation', 'address_confirmed'],
  ['Email Removed', 'address_removed'],
  ['Third-Party Account Connected', 'account_connected'],
  ['Third-Party Account Disconnected', 'account_disconnected'],
] as const
const notice = ([subject, kind]: (typeof notices)[number]): [string, AccountMail] => [
  subject,
  noticeMail(kind, { username: 'ada', detail: '', ...occasion, resetUrl: url }),
]

describe('account email', () => {
  it.each<[string, AccountMail]>([
    ['Please Confirm Your Email Address', confirmAddressMail(url)],
    ['Sign-In Code', loginCodeMail('BCDF-GHJK')],
    ['Password Reset Email', passwordResetMail('ada', url)],
    ['Unknown Account', unknownAccountMail(url)],
    ['Account Already Exists', accountExistsMail(url)],
    ...notices.map(notice),
  ])('"%s" has the same content in text and in HTML', (subject, mail) => {
    const written = writeMail(mail)
    expect(written.subject).toBe(`[Class Cords] ${subject}`)
    for (const said of [
      ...mail.before,
      ...mail.after,
      ...(mail.facts ?? []).map(({ value }) => value),
      mail.code ?? '',
    ]) {
      expect(written.text).toContain(said)
      expect(written.html).toContain(said.replaceAll('"', '&quot;').replaceAll("'", '&#x27;'))
    }
    if (mail.link) expect([written.text.includes(url), written.html.includes(`href="${url}"`)]).toEqual([true, true])
    expect(written.html).not.toMatch(/<(?:script|img|link)\b/)
  })

  it('says what was done, when, from where and in which browser, and what to do about it', () => {
    const { text } = writeMail(
      noticeMail('password_changed', { username: 'ada', detail: '', ...occasion, resetUrl: url }),
    )
    expect(text).toContain(
      'Account: ada\nWhen: 2026-11-03 14:05 UTC\nFrom: 198.51.100.7, Portugal\nBrowser: Firefox on Windows',
    )
    expect(text).toContain(`If this was not you, someone else may be in your account`)
    expect(text).toContain(url)
  })

  it.each(['www.evil-87.com', 'evil.example', 'http://evil', 'a.b.co', 'пример.рф', 'a@evil.example'])(
    'contains no username that an email app would turn into a link: %s',
    (name) => {
      for (const mail of [
        passwordResetMail(name, url),
        newAccountMail(name, url),
        noticeMail('password_changed', { username: name, detail: '', ...occasion, resetUrl: url }),
      ]) {
        const { subject, text, html } = writeMail(mail)
        expect(subject + text + html).not.toContain(name)
      }
    },
  )

  it('names the account', () => {
    expect(writeMail(passwordResetMail('ada', url)).text).toContain('forgot it: ada\n')
    expect(writeMail(newAccountMail('ada', url)).text).toContain('Your username: ada\n')
    expect(writeMail(passwordResetMail(null, url)).text).not.toContain('username')
  })

  it.each(['ada.lovelace', 'morgan-reyes@1170000000000000001'])(
    'gives no other spelling of the username %s',
    (name) => {
      for (const mail of [passwordResetMail(name, url), newAccountMail(name, url)])
        expect(writeMail(mail).text).not.toMatch(/username|ada|morgan/)
    },
  )

  it('does not interpret text that people typed', () => {
    for (const mail of [
      passwordResetMail(evil, url),
      newAccountMail(evil, url),
      { subject: evil, before: [], after: [] },
      noticeMail('address_removed', {
        username: evil,
        detail: evil,
        ...occasion,
        where: evil,
        resetUrl: url,
      }),
    ]) {
      const { subject, text, html } = writeMail(mail)
      expect(subject).not.toMatch(/[\p{Cc}\u202e]/u)
      expect(text).not.toMatch(/^Bcc:/m)
      expect(html).not.toContain('<img')
      expect(text + html).not.toContain('\u202e')
    }
  })
})

describe('browser name', () => {
  it.each([
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Windows'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0 Safari/537.36',
      'Chrome on Linux',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0 Safari/537.36 Edg/150.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/30.0 Chrome/150.0 Mobile Safari/537.36',
      'Samsung Internet on Android',
    ],
    ['curl/8.9', 'curl'],
    ['<script>alert(1)</script>', 'An unknown browser'],
    [null, 'An unknown browser'],
  ])('%s is %s', (userAgent, name) => {
    expect(browserName(userAgent)).toBe(name)
  })

  it('includes the country only if it is valid', () => {
    expect(['PT', 'US', 'T1', 'XX', 'pt', '', null].map(countryName)).toEqual([
      'Portugal',
      'United States',
      '',
      '',
      '',
      '',
      '',
    ])
  })
})
