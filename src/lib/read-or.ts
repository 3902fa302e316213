import type * as z from 'zod/mini'

/**
 * A reader of values that others wrote: a value that does not fit the schema is read as the fallback. zod's own `catch`
 * does the same, but adds unused parts of zod to the bundle.
 */
export function readOr<Value>(schema: z.ZodMiniType<Value>, fallback: Value): (value: unknown) => Value {
  return (value) => {
    const read = schema.safeParse(value)
    return read.success ? read.data : fallback
  }
}
