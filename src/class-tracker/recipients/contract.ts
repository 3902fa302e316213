import * as z from 'zod/mini'
import { ContactKind } from '../../lib/contract.ts'
import { Form, Id, Moment, Pagination } from '../../web/contract.ts'
import { problemFields, School, SectionStatus, Term } from '../courses/contract.ts'
import { WatchedSection } from '../watches/contract.ts'

export const Contact = z.object({
  id: Id,
  kind: ContactKind,
  number: z.string(),
  is_enabled: z.boolean(),
  verified: z.boolean(),
  opted_out: z.boolean(),
  /** Why messages no longer arrive there; null while they do. */
  undeliverable: z.nullable(z.string()),
})
export type Contact = z.infer<typeof Contact>

/** `phone_numbers` holds every contact, whatever its kind; its count is shown as contacts. */
export const Recipient = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  is_contact_by_phone: z.boolean(),
  /** Absent unless they paused their messages. */
  paused_until: z.optional(Moment),
  phone_numbers: z.array(Contact),
  /** Open sections first; in lists and after saving, only the first 8. */
  watched_sections: z.array(WatchedSection),
  /** All of them, whatever is filtered. */
  watched_count: z.number(),
})
export type Recipient = z.infer<typeof Recipient>

/** A recipient on a page: each section is given in full where it comes first, and by its id after that. */
export const ListedRecipient = z.extend(Recipient, {
  watched_sections: z.array(z.union([WatchedSection, z.strictObject({ id: Id })])),
})
export type ListedRecipient = z.infer<typeof ListedRecipient>

export const GetRecipientForm = z.object({
  recipient_form: Form,
  contact_info_forms: z.array(z.extend(Form, { contact_id: Id })),
  new_contact_info_form: Form,
})
export type GetRecipientForm = z.infer<typeof GetRecipientForm>

export const AddRecipient = z.object({
  recipient: z.nullable(Recipient),
  recipient_form: z.nullable(Form),
  contact_info_forms: z.array(z.extend(Form, { contact_id: Id })),
  new_contact_info_form: z.nullable(Form),
})
export type AddRecipient = z.infer<typeof AddRecipient>

/** Which watched sections are listed; null for all. */
export const WatchFilters = z.object({
  status: z.nullable(SectionStatus),
  school_id: z.nullable(Id),
  term_id: z.nullable(Id),
})
export type WatchFilters = z.infer<typeof WatchFilters>

export const AddClassesProps = z.object({
  /** With filters, only recipients with such sections, and of their sections only these. */
  recipients: z.array(ListedRecipient),
  /** All recipients; the sections watched for those on this page, each counted once. Absent if there are none. */
  totals: z.optional(
    z.object({
      recipients: z.number(),
      sections: z.number(),
      open: z.number(),
      /** The newest read of any of those sections. */
      observed_at: z.nullable(Moment),
    }),
  ),
  /** The search; absent without one. */
  q: z.optional(z.string()),
  /** Absent if nothing is filtered. */
  filters: z.optional(WatchFilters),
  pagination: Pagination,
  terms: z.array(Term),
  schools: z.array(School),
  ...problemFields,
})
export type AddClassesProps = z.infer<typeof AddClassesProps>

/** The address of a recipient's own page. */
export const RecipientLink = z.object({ url: z.string() })
export type RecipientLink = z.infer<typeof RecipientLink>
