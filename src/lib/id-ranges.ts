/** Ids as a short text: "3-9,12". */
export function rangesOf(ids: Iterable<number>): string {
  const ranges: [first: number, last: number][] = []
  for (const id of [...ids].toSorted((one, other) => one - other)) {
    const range = ranges.at(-1)
    if (range && id <= range[1] + 1) range[1] = id
    else ranges.push([id, id])
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(',')
}

/** The ids in a text that {@link rangesOf} wrote. */
export function idsIn(ranges: string): Set<number> {
  const ids = new Set<number>()
  for (const range of ranges === '' ? [] : ranges.split(',')) {
    const [first = 0, last = first] = range.split('-').map(Number)
    for (let id = first; id <= last; id++) ids.add(id)
  }
  return ids
}
