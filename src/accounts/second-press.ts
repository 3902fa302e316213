import { MINUTE_MS } from '../lib/time.ts'

/** How long a second press of a button is answered like the first, because the browser may show only its answer. */
export const SECOND_PRESS_MS = MINUTE_MS
