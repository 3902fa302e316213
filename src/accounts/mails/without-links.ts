/**
 * Text in which no mail program finds anything to link: "www.evil.example" becomes "www dot evil dot example". Mail programs
 * link bare host names, addresses of mailboxes and of pages.
 */
export function withoutLinks(text: string): string {
  return text
    .replace(/[@＠]/g, ' at ')
    .replace(/[.。．｡](?=\S)/g, ' dot ')
    .replace(/[:：/\\]+(?=\S)/g, ' ')
}
