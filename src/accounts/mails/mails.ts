import { withoutLinks } from './links.ts'
import type { AccountMail } from './write-mail.ts'

export type MailKind =
  | 'confirm_address'
  | 'sign_in_code'
  | 'password_reset'
  | 'unknown_account'
  | 'account_added'
  | 'admin_change'
  | 'account_exists'
  | 'staff_notice'
  | NoticeKind

/** A username as it is typed; left out where an email app would link it, as the page behind the link shows it. */
const asTyped = (label: string, username: string): string[] =>
  withoutLinks(username) === username ? [`${label}: ${username}`] : []

const ignore = 'If you did not ask for this, you can ignore this email: nothing will change.'

/** Sent to an address that was entered for an account. It contains nothing that was typed, because it may reach a stranger. */
export function confirmAddressMail(url: string): AccountMail {
  return {
    subject: 'Please Confirm Your Email Address',
    headline: 'Confirm your email address',
    before: ['Someone, hopefully you, entered this address for an account.'],
    link: { label: 'Confirm this address', url },
    after: ['The link works for 3 days.', ignore],
  }
}

export function loginCodeMail(code: string): AccountMail {
  return {
    subject: 'Sign-In Code',
    headline: 'Your login code',
    before: ['Enter this code to log in:'],
    code,
    after: [
      'It works once, within 3 minutes, in the browser that asked for it. Never give it to anyone, and never enter it on a page that you reached through a link.',
      ignore,
    ],
  }
}

/** @param username null when someone other than the recipient may have chosen it */
export function passwordResetMail(username: string | null, url: string): AccountMail {
  return {
    subject: 'Password Reset Email',
    headline: 'Choose a new password',
    before: [
      'Someone, hopefully you, asked to choose a new password.',
      ...(username === null ? [] : asTyped('Your username, in case you forgot it', username)),
    ],
    link: { label: 'Choose a new password', url },
    after: ['You can use the link once, within 3 days.', ignore],
  }
}

/** Sent to an address without an account, so that its owner learns why no link came. */
export function unknownAccountMail(signUpUrl: string): AccountMail {
  return {
    subject: 'Unknown Account',
    headline: 'There is no account with this address',
    before: [
      'Someone, hopefully you, asked for access to an account with this address, but there is no such account.',
      'Perhaps you signed up with another address.',
    ],
    link: { label: 'Sign up', url: signUpUrl },
    after: [ignore],
  }
}

/** Sent to a user for whom an administrator added an account: they choose the password, no one else knows it. */
export function newAccountMail(username: string, url: string): AccountMail {
  return {
    subject: 'Your New Account',
    headline: 'Your new account',
    before: ['An administrator added an account for you.', ...asTyped('Your username', username)],
    link: { label: 'Choose a password', url },
    after: [
      'You can use the link once, within 3 days. After that, get another one from the login page: "Forgot your password?"',
      'If you were not expecting an account, you can ignore this email.',
    ],
  }
}

/** Sent to the owner of an address that someone else entered for an account. */
export function accountExistsMail(resetUrl: string): AccountMail {
  return {
    subject: 'Account Already Exists',
    headline: 'You already have an account',
    before: [
      'Someone, hopefully you, entered this address for an account, but it already belongs to yours.',
      'If you forgot that you have an account, choose a new password and log in.',
    ],
    link: { label: 'Choose a new password', url: resetUrl },
    after: [ignore],
  }
}

/** A notice about the service for its staff. */
export function staffMail(body: string): AccountMail {
  return {
    subject: 'Class tracker notice',
    headline: 'Class tracker notice',
    before: [body],
    after: ['You are receiving this email because you are on the staff.'],
  }
}

/** Security notifications: what was done to an account. */
const notices = {
  password_changed: { subject: 'Password Changed', text: 'Your account password was changed.' },
  password_set: { subject: 'Password Set', text: 'A password was set for your account.' },
  password_was_reset: { subject: 'Password Reset', text: 'Your account password was reset.' },
  address_changed: { subject: 'Email Changed', text: 'Your primary email address was changed.' },
  address_confirmed: { subject: 'Email Confirmation', text: 'An email address on your account was confirmed.' },
  address_removed: { subject: 'Email Removed', text: 'An email address was removed from your account.' },
  account_connected: {
    subject: 'Third-Party Account Connected',
    text: 'A third-party account was connected to your account. Its owner can now log in to yours.',
  },
  account_disconnected: {
    subject: 'Third-Party Account Disconnected',
    text: 'A third-party account was disconnected from your account.',
  },
  authenticator_activated: {
    subject: 'Authenticator App Activated',
    text: 'An authenticator app was activated for your account: logging in now requires its code.',
  },
  authenticator_deactivated: {
    subject: 'Authenticator App Deactivated',
    text: 'Your authenticator app was deactivated: logging in no longer requires a code.',
  },
  recovery_codes_generated: {
    subject: 'New Recovery Codes Generated',
    text: 'New recovery codes were generated for your account; the previous ones no longer work.',
  },
}
export type NoticeKind = keyof typeof notices

interface NoticeFacts {
  username: string
  /** A sentence; '' for none. */
  detail: string
  /** "2026-11-03 14:05 UTC" */
  when: string
  /** Address and country. */
  where: string
  browser: string
  resetUrl: string
}

export function noticeMail(kind: NoticeKind, about: NoticeFacts): AccountMail {
  const { subject, text } = notices[kind]
  return {
    subject,
    headline: subject.charAt(0) + subject.slice(1).toLowerCase(),
    before: [text, ...(about.detail === '' ? [] : [about.detail])],
    facts: [
      { name: 'Account', value: withoutLinks(about.username) },
      { name: 'When', value: about.when },
      { name: 'From', value: about.where },
      { name: 'Browser', value: about.browser },
    ],
    after: [
      'If this was not you, someone else may be in your account. Change your password now. That logs out every browser.',
    ],
    remedy: { label: 'Choose a new password', url: about.resetUrl },
  }
}
