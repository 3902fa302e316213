/** Compares in natural order, "CS 9" before "CS 101", ignoring case. Without a locale, every engine agrees. */
export function naturalOrder(one: string, other: string): number {
  const left = one.toLowerCase().match(/\d+|\D+/g) ?? []
  const right = other.toLowerCase().match(/\d+|\D+/g) ?? []
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const a = left[index] ?? ''
    const b = right[index] ?? ''
    if (a === b) continue
    const byNumber = Number(a) - Number(b)
    if (!Number.isNaN(byNumber) && byNumber !== 0) return byNumber
    return a < b ? -1 : 1
  }
  return left.length - right.length
}
