import type * as z from 'zod/mini'

/** Reads a value that does not fit as the fallback. zod's own `catch` adds unused parts of zod to the bundle. */
export function parseOr<Value>(schema: z.ZodMiniType<Value>, fallback: Value): (value: unknown) => Value {
  return (value) => {
    const read = schema.safeParse(value)
    return read.success ? read.data : fallback
  }
}

/** The answer; the fallback if there is none, logged as a warning with these fields. */
export async function orWarn<Value, Fallback>(
  answer: Promise<Value>,
  fields: { event: string } & Record<string, unknown>,
  fallback: Fallback,
): Promise<Value | Fallback> {
  try {
    return await answer
  } catch (error) {
    console.warn({ ...fields, error: String(error) })
    return fallback
  }
}
