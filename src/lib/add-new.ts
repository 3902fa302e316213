/** Adds a value to a set; false if it was there already. One look-up, where `has` and `add` are two. */
export function addNew<Value>(values: Set<Value>, value: Value): boolean {
  const { size } = values
  return values.add(value).size > size
}
