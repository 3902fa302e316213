/** The query part of an address, such as `?q=math&page=2`, without blank values and page 1; '' if nothing is left. */
export function addressQuery(values: Readonly<Record<string, string | number | null | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    const text = String(value ?? '').trim()
    if (text !== '' && !(name === 'page' && value === 1)) query.set(name, text)
  }
  return query.size === 0 ? '' : `?${query}`
}
