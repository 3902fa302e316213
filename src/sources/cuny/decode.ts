import type { Page } from '../http.ts'

/** The page as text in the charset its header names; ISO-8859-1, which the site writes, when it names none we know. */
export function decodePage({ bytes, contentType }: Page): string {
  const [, charset = 'iso-8859-1'] = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType) ?? []
  return decoderFor(charset).decode(bytes)
}

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder('iso-8859-1')
  }
}
