import type * as z from 'zod/mini'

/**
 * A reader of values that somebody else wrote: what does not fit the schema is read as the fallback. zod's own `catch` does the
 * same, but with it much of zod that is not used comes into the bundle.
 */
export function readOr<Value>(schema: z.ZodMiniType<Value>, fallback: Value): (value: unknown) => Value {
  return (value) => {
    const read = schema.safeParse(value)
    return read.success ? read.data : fallback
  }
}
