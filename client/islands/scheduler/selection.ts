/** The chosen names after those from one to another (in the order shown, both included) were switched on or off. */
export function selectionAfter(
  before: ReadonlySet<string>,
  names: readonly string[],
  { from, to, isOn }: { from: string; to: string; isOn: boolean },
): Set<string> {
  const start = names.indexOf(from)
  const end = names.indexOf(to)
  const range = start === -1 ? [to] : names.slice(Math.min(start, end), Math.max(start, end) + 1)
  const after = new Set(before)
  for (const name of range) {
    if (isOn) after.add(name)
    else after.delete(name)
  }
  return after
}
