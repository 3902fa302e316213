/** Adds a value to a set; false if it was there already. One look-up, where `has` and `add` are two. */
export function addIfAbsent<Value>(values: Set<Value>, value: Value): boolean {
  const { size } = values
  return values.add(value).size > size
}

/** The items in order, in arrays of at most `size`: platform calls limit how many they accept. */
export function chunk<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

/** Does all the work in its order, at most `limit` pieces at a time. */
export async function runAtMost(limit: number, work: readonly (() => Promise<unknown>)[]): Promise<void> {
  const rest = work.values()
  const lanes = Array.from({ length: limit }, async () => {
    for (const piece of rest) await piece()
  })
  await Promise.all(lanes)
}
