import * as z from 'zod/mini'

/** The same object with no other fields allowed. */
export function strict<Shape extends z.core.$ZodShape>(schema: z.ZodMiniObject<Shape>) {
  return z.strictObject(schema.shape)
}
