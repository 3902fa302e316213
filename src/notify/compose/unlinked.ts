/*
 * Phones and mail programs make links of host names, addresses and telephone numbers that they find in a text. What a school
 * writes must not become one: a student would take it for ours. Only what a program would link is changed.
 */

/** A dot as programs read it in a host name (UTS #46), between something and two letters: "ASP.NET", but not "U.S." or "10.30". */
const HOST_DOT = /(?<=[^\s.。．｡])[.。．｡](?=[\p{L}\p{M}\u200C\u200D]{2})/gu
/** Linked whatever follows. */
const WEB_DOT = /(?<=www)[.。．｡](?=\S)/giu
/** "https:", "mailto:", "tel:", but not "MW10:00". */
const SCHEME = /(?<=\p{L})[:：](?=\S)|[:：](?=\/\/)/gu
/** 198.51.100.7 */
const NUMERIC_HOST = /\d+(?:\.\d+){3,}/g

/** The text with a space or an underscore where a host name, a mail address or a scheme would be read on. */
export function withoutAddresses(text: string): string {
  return text
    .replace(NUMERIC_HOST, (host) => host.replaceAll('.', '_'))
    .replace(SCHEME, ': ')
    .replace(WEB_DOT, '. ')
    .replace(HOST_DOT, '. ')
}

/** What stands between the digits of a telephone number; not a slash, which stands in dates. */
const MARKS = String.raw`[\s().~\u2010-\u2015\uFF0D-]{0,4}`
/** First of an area and of an exchange, in the digits that phones take for some. */
const HIGH = '[2-9\u0662-\u0669\u06F2-\u06F9\uFF12-\uFF19]'
const NEXT = String.raw`${MARKS}\p{Nd}`
/**
 * North America's ten digits, its seven with a mark after the third, a plus and at least seven, or ten and more in a row. Terms
 * ("2026-2027"), days and hours ("0900-1015") are none of these.
 */
const TELEPHONE = new RegExp(
  String.raw`(?<!\p{N})\(?(?:\+(?:${NEXT}){7,}|(?:1${MARKS})?${HIGH}(?:${NEXT}){2}${MARKS}${HIGH}(?:${NEXT}){6}|${HIGH}\p{Nd}{2}[.-]\p{Nd}{4}|\p{Nd}{10,})(?!\p{N})`,
  'gu',
)

/** Free text of a school in which no program finds anything to link: telephone numbers are written 202_555_0143. */
export function unlinked(text: string): string {
  return withoutAddresses(text).replace(TELEPHONE, underlined)
}

/** Groups of at most four digits with underscores between them, which no program reads as a telephone number. */
function underlined(telephone: string): string {
  return telephone
    .replace(/[^\p{Nd}]+/gu, '_')
    .replace(/\p{Nd}{3}(?=\p{Nd}{2})/gu, '$&_')
    .replace(/^_/, '')
}
