/** The mailbox behind the addresses used here: what follows a plus, dots and letter case lead to the same one. */
export function mailbox(address: string): string {
  const [local = '', host = ''] = address.toLowerCase().split('@')
  return `${local.split('+')[0]?.replaceAll('.', '')}@${host}`
}
