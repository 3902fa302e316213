/*
 * Phones and email apps turn host names, addresses and phone numbers in a text into links. A school's text must not
 * become a link, because a student would think that it is ours. Only text that a program would link is changed.
 */

/** A dot that programs read as part of a host name (UTS #46): in "ASP.NET", not in "U.S." or "10.30". */
const HOST_DOT = /(?<=[^\s.。．｡])[.。．｡](?=[\p{L}\p{M}\u200C\u200D]{2})/gu
/** Prefixes that are linked regardless of what follows. */
const WEB_DOT = /(?<=www)[.。．｡](?=\S)/giu
/** "https:", "mailto:", "tel:", but not "MW10:00". */
const SCHEME = /(?<=\p{L})[:：](?=\S)|[:：](?=\/\/)/gu
/** 198.51.100.7 */
const NUMERIC_HOST = /\d+(?:\.\d+){3,}/g

/** The text with a space or an underscore where programs would recognize a host name, an email address or a scheme. */
export function withoutAddresses(text: string): string {
  return text
    .replace(NUMERIC_HOST, (host) => host.replaceAll('.', '_'))
    .replace(SCHEME, ': ')
    .replace(WEB_DOT, '. ')
    .replace(HOST_DOT, '. ')
}

/** What may separate the digits of a phone number; not a slash, which separates dates. */
const MARKS = String.raw`[\s().~\u2010-\u2015\uFF0D-]{0,4}`
/** The first digit of an area code and of an exchange, in all digits that phones recognize. */
const HIGH = '[2-9\u0662-\u0669\u06F2-\u06F9\uFF12-\uFF19]'
const NEXT = String.raw`${MARKS}\p{Nd}`
/**
 * Ten North American digits, seven with a mark after the third, a plus and at least seven, or ten or more in a row.
 * Terms ("2026-2027"), days and hours ("0900-1015") are none of these.
 */
const TELEPHONE = new RegExp(
  String.raw`(?<!\p{N})\(?(?:\+(?:${NEXT}){7,}|(?:1${MARKS})?${HIGH}(?:${NEXT}){2}${MARKS}${HIGH}(?:${NEXT}){6}|${HIGH}\p{Nd}{2}[.-]\p{Nd}{4}|\p{Nd}{10,})(?!\p{N})`,
  'gu',
)

/** A school's free text without anything that a program would link: phone numbers are written 202_555_0143. */
export function preventAutolinks(text: string): string {
  return withoutAddresses(text).replace(TELEPHONE, underlined)
}

/** Groups of at most four digits separated by underscores, which no program recognizes as a phone number. */
function underlined(telephone: string): string {
  return telephone
    .replace(/[^\p{Nd}]+/gu, '_')
    .replace(/\p{Nd}{3}(?=\p{Nd}{2})/gu, '$&_')
    .replace(/^_/, '')
}
