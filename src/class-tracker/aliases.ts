import { alias } from 'drizzle-orm/sqlite-core'
import { classAlert, delivery, opening, section, sectionGroup, watch } from '../db/schema/index.ts'

/* Short names of tables in long statements. */

export const a = alias(classAlert, 'a')
export const d = alias(delivery, 'd')
export const g = alias(sectionGroup, 'g')
export const o = alias(opening, 'o')
export const s = alias(section, 's')
export const w = alias(watch, 'w')
export const stored = alias(sectionGroup, 'stored')
