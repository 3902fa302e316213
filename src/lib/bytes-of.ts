/** The text in UTF-8. */
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
