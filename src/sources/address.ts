/** Why `url` is not the address of a system that answers under `ending`; null when it is. */
export function refuseAddress(url: string, ending: string): string | null {
  const parsed = URL.parse(url)
  if (parsed === null) return 'The address is not a URL.'
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return 'The address must begin with https://.'
  if (parsed.username !== '' || parsed.password !== '') return 'The address must not hold a user name or password.'
  if (parsed.search !== '' || parsed.hash !== '') return 'The address must not go on after its path.'
  if (!parsed.pathname.endsWith(ending)) return `The address must end in ${ending}.`
  return null
}
