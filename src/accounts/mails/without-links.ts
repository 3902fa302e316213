/**
 * Text in which no mail program finds anything to link: "www.evil.example" becomes "www dot evil dot example". Mail
 * programs link bare host names, email addresses and web addresses.
 */
export function withoutLinks(text: string): string {
  return text
    .replace(/[@＠]/g, ' at ')
    .replace(/[.。．｡](?=\S)/g, ' dot ')
    .replace(/[:：/\\]+(?=\S)/g, ' ')
}
