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

/** Works on each item in order, at most `limit` at a time. `work` gets the item and its place, from 0. */
export async function runAtMost<Item>(
  limit: number,
  items: readonly Item[],
  work: (item: Item, place: number) => Promise<unknown>,
): Promise<void> {
  const rest = items.entries()
  const lanes = Array.from({ length: limit }, async () => {
    for (const [place, item] of rest) await work(item, place)
  })
  await Promise.all(lanes)
}
