import type { JobContext } from '../../jobs/job.ts'
import { announce } from '../polling/announce.ts'
import type { GroupRead } from './compare-sections.ts'
import type { SchoolTerm } from './school-terms.ts'
import { readCatalogued, writeSections } from './write-sections.ts'

/** Sections gathered before they are written: one batch of statements for many small groups. */
const gathered = 2000

/** Gathers groups of one school's term and writes them together. */
export class SectionWriter {
  private schoolTerm: SchoolTerm | null = null
  private reads: GroupRead[] = []
  private count = 0
  private readonly context: JobContext

  constructor(context: JobContext) {
    this.context = context
  }

  async add(schoolTerm: SchoolTerm, read: GroupRead): Promise<void> {
    if (this.schoolTerm && this.schoolTerm.id !== schoolTerm.id) await this.flush()
    this.schoolTerm = schoolTerm
    this.reads.push(read)
    this.count += read.sections.length
    if (this.count >= gathered) await this.flush()
  }

  async flush(): Promise<void> {
    const { env, job, now } = this.context
    const { schoolTerm, reads } = this
    if (!schoolTerm || reads.length === 0) return
    this.reads = []
    this.count = 0
    const known = await readCatalogued(
      env.DB,
      reads.map((read) => read.group_id),
    )
    const tools = { poll_id: `${job.id}.${crypto.randomUUID()}`, now: now(), school_term_id: schoolTerm.id }
    const recorded = await writeSections(env.DB, tools, known, reads)
    await announce(env, recorded)
  }
}
