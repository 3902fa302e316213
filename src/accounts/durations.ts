import { MINUTE_MS } from '../lib/time.ts'

/** How long a login of several steps may take, or a form may wait for one. django-allauth's limit for a login. */
export const LOGIN_SECONDS = 900

/** How long a second press of a button is answered like the first, because the browser may show only its answer. */
export const SECOND_PRESS_MS = MINUTE_MS
