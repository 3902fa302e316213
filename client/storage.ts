/** The browser's storage may be full, forbidden or edited by hand: then nothing is remembered, and nothing breaks. */

/** The value stored under the key, if it passes `isExpected`; otherwise null. */
export function recall<Value>(
  area: 'local' | 'session',
  key: string,
  isExpected: (value: unknown) => value is Value,
): Value | null {
  try {
    const text = (area === 'local' ? localStorage : sessionStorage).getItem(key)
    const value: unknown = text === null ? null : JSON.parse(text)
    return isExpected(value) ? value : null
  } catch {
    return null
  }
}

/** Stores a JSON value under the key; null deletes it. */
export function remember(area: 'local' | 'session', key: string, value: unknown): void {
  try {
    const storage = area === 'local' ? localStorage : sessionStorage
    if (value === null) storage.removeItem(key)
    else storage.setItem(key, JSON.stringify(value))
  } catch {
    return
  }
}
