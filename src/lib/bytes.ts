/** Standard base64 with padding (RFC 4648 §4). */
export function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** URL-safe base64: `-` and `_`, no padding (RFC 4648 §5). */
export function base64url(bytes: ArrayBuffer | Uint8Array): string {
  return base64(new Uint8Array(bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** The bytes of standard base64, or null when the text is not exactly what `base64` would write for them. */
export function bytesOfBase64(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0) return null
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  return base64(bytes) === text ? bytes : null
}

/** The bytes of base64url, or null when the text is not exactly what `base64url` would write for them. */
export function bytesOfBase64url(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length % 4 === 1) return null
  const standard = text.replaceAll('-', '+').replaceAll('_', '/')
  return bytesOfBase64(standard.padEnd(Math.ceil(text.length / 4) * 4, '='))
}

/** The parts, one after another; a single part is not copied. */
export function joinedBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts
  if (parts.length === 1 && first !== undefined) return first
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}

/** HKDF with SHA-256 (RFC 5869): `length` bytes for one purpose, which say nothing about the material. */
export async function hkdf(
  material: ArrayBuffer | Uint8Array,
  { info, salt = new Uint8Array(), length }: { info: Uint8Array; salt?: Uint8Array; length: number },
): Promise<ArrayBuffer> {
  const key = await crypto.subtle.importKey('raw', material, 'HKDF', false, ['deriveBits'])
  return crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, key, length * 8)
}
