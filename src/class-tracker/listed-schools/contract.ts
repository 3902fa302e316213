import * as z from 'zod/mini'
import { Id } from '../../web/contract.ts'
import { SectionStatus } from '../courses/contract.ts'

const ReadingSource = z.nullable(z.object({ id: Id, name: z.string() }))

/** A school of the directory, in a list. */
const ListedSchoolSummary = z.object({
  id: z.string(),
  name: z.string(),
  /** Two letters. */
  state: z.string(),
  country: z.string(),
  system: z.string(),
  /** Why it cannot be added yet; null when it can. */
  why_not_read: z.nullable(z.string()),
  /** The source that reads it; null until it is added. */
  source: ReadingSource,
})
export type ListedSchoolSummary = z.infer<typeof ListedSchoolSummary>

/** What is known about it. */
const ListedSchoolFacts = z.extend(ListedSchoolSummary, {
  url: z.string(),
  time_zone: z.string(),
  /** What the system calls the number of a section: "CRN". */
  number_label: z.string(),
  /** Its code where one address serves several schools; '' where the address is one school. */
  school_code: z.string(),
  /** The system's name, when adding this school also adds others. */
  shared_name: z.nullable(z.string()),
  /** The code of a term that it offered when it was listed. */
  last_term: z.nullable(z.string()),
  notes: z.array(z.string()),
  /** The day it was listed or last corrected. */
  as_of: z.string(),
  /** The school's own class search. */
  search_url: z.string(),
})
export type ListedSchoolFacts = z.infer<typeof ListedSchoolFacts>

/** What the school answered just now. */
const ListedSchoolCheck = z.object({
  /** Why the check stopped; null when everything was understood. */
  why: z.nullable(z.string()),
  warnings: z.array(z.string()),
  requests: z.number(),
  terms_count: z.number(),
  term_name: z.nullable(z.string()),
  subjects_count: z.number(),
  subject_name: z.nullable(z.string()),
  sections_count: z.number(),
  sections: z.array(
    z.object({
      number: z.string(),
      course: z.string(),
      title: z.string(),
      section: z.string(),
      status: SectionStatus,
      seats_available: z.nullable(z.number()),
      capacity: z.nullable(z.number()),
    }),
  ),
})
export type ListedSchoolCheck = z.infer<typeof ListedSchoolCheck>

/** What answered at a typed address; `why`: why nothing did. */
export const AskedAddress = z.object({
  typed: z.string(),
  kind: z.nullable(z.string()),
  /** The system's name. */
  system: z.nullable(z.string()),
  /** The address in the system's own form. */
  url: z.nullable(z.string()),
  terms_count: z.number(),
  /** The source that already reads this address; null if none does. */
  source: ReadingSource,
  why: z.nullable(z.string()),
})
export type AskedAddress = z.infer<typeof AskedAddress>

export const AddSchoolProps = z.object({
  q: z.string(),
  /** The first 50 found. */
  schools: z.array(ListedSchoolSummary),
  found_count: z.number(),
  listed_count: z.number(),
  readable_count: z.number(),
  /** Null before an address was checked. */
  asked: z.nullable(AskedAddress),
})
export type AddSchoolProps = z.infer<typeof AddSchoolProps>

export const ListedSchoolProps = z.object({ school: ListedSchoolFacts, check: z.nullable(ListedSchoolCheck) })
export type ListedSchoolProps = z.infer<typeof ListedSchoolProps>
