import type { AdminFault, AdminKey } from '../../web/admin-change.ts'
import type { FormState } from './form-state.ts'
import type { KnownRow } from './read-row.ts'

/** What came of a form. */
export type Saved =
  | { kind: 'saved'; key: AdminKey; said: string }
  /** Nothing was written: the person who asks must first confirm who they are. */
  | { kind: 'unconfirmed' }
  /** Nothing was written; the form goes back as it was filled. `known` is the row as it is now. */
  | { kind: 'refused'; status: 200 | 409 | 422; state: FormState; faults: AdminFault[]; known: KnownRow | null }
