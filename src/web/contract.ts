import * as z from 'zod/mini'
import { Message } from '../lib/contract.ts'

export const Id = z.number()
/** ISO 8601 in UTC. */
export const Moment = z.string()

/** The page numbers of a list; 0: there is no such page. */
export const Pagination = z.object({
  current_page: z.number(),
  total_pages: z.number(),
  has_previous: z.boolean(),
  has_next: z.boolean(),
  previous_page_number: z.number(),
  next_page_number: z.number(),
})
export type Pagination = z.infer<typeof Pagination>

export const PaletteEntry = z.object({
  title: z.string(),
  /** What distinguishes it from others with the same name; '' if nothing does. */
  detail: z.string(),
  href: z.string(),
})
/** Entries of one kind, at most five. */
export const PaletteGroup = z.object({ label: z.string(), entries: z.array(PaletteEntry) })
export const Palette = z.object({ groups: z.array(PaletteGroup) })
export type PaletteEntry = z.infer<typeof PaletteEntry>
export type PaletteGroup = z.infer<typeof PaletteGroup>
export type Palette = z.infer<typeof Palette>

/** The linked Discord account; null without one. */
export const DiscordUser = z.object({
  id: z.number(),
  discord_id: z.string(),
  username: z.string(),
  discriminator: z.string(),
  display_name: z.string(),
  avatar_url: z.string(),
  is_verified: z.boolean(),
  login_count: z.number(),
  first_login: z.string(),
  last_login: z.string(),
  role_info: z.object({ value: z.string(), label: z.string() }),
  school: z.nullable(z.object({ id: z.number(), name: z.string() })),
})
export type DiscordUser = z.infer<typeof DiscordUser>

/** How a field changes with the choice made in another field. */
const FieldShape = z.object({ name: z.string(), label: z.string(), help_text: z.string(), inputmode: z.string() })

/** A form field described as data, so that the server decides what a form asks. */
export const FormField = z.object({
  tag: z.enum(['input', 'textarea', 'select']),
  name: z.string(),
  label: z.string(),
  /** The field's text; a checkbox has 'on' or ''. */
  value: z.string(),
  help_text: z.string(),
  /** '' when the value is fine. */
  error: z.string(),
  widget: z.object({
    attrs: z.record(z.string(), z.union([z.string(), z.boolean()])),
    /** The options of a select. `shape`: how another field of the form changes while this one is selected. */
    subwidgets: z.array(
      z.object({ value: z.string(), label: z.string(), selected: z.boolean(), shape: z.optional(FieldShape) }),
    ),
  }),
})
export const Form = z.object({
  fields: z.array(FormField),
  hidden_fields: z.array(FormField),
  non_field_errors: z.array(z.string()),
})
export type FormField = z.infer<typeof FormField>
export type Form = z.infer<typeof Form>

/** What every page passes to its islands about the request; `time_zone` is used for dates on both sides. */
export const PageContext = z.object({
  user: z.object({
    is_authenticated: z.boolean(),
    is_superuser: z.boolean(),
    name: z.string(),
    discord_user: z.nullable(DiscordUser),
  }),
  csrf_token: z.string(),
  messages: z.array(Message),
  path: z.string(),
  static_url: z.string(),
  time_zone: z.string(),
})
export type PageContext = z.infer<typeof PageContext>

/** The content of a page's one `<script id="page-data">`. */
export interface PageData<Props> {
  page: string
  props: Props
  context: PageContext
}
