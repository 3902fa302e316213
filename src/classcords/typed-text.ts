/** What somebody typed into a text area, trimmed. Browsers send each line's end as two characters; here it is one, and counts as one. */
export function typedText(text: string): string {
  return text.replace(/\r\n?/g, '\n').trim()
}
