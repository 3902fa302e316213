import { formOf, html, type Answer, type Call, type StandIn } from '../http.ts'
import { subjectsAmong } from '../schools/catalog.ts'
import { type Listing, offeredOf } from '../schools/listing.ts'
import type { School, Section, Term } from '../schools/types.ts'
import type { World } from '../world.ts'
import { type Banner8Style, detailsPage, listingPage, nothingPage, pageOf, selectOf } from './pages.ts'

/** Schools of the local world with only the older Banner, or with both. */
const STYLES: readonly Banner8Style[] = [
  {
    school: 'Old Mill College',
    path: '/PROD',
    terms: {
      termCode: ({ year, season }) =>
        `${season === 'Fall' ? year + 1 : year}${{ Spring: '20', Summer: '30', Fall: '10' }[season]}`,
      termDescription: ({ year, season }) => `${season} ${year}`,
    },
    route: 'bwckschd.p_get_crse_unsec',
    isOlder: false,
    listsRemaining: false,
  },
  {
    school: 'Harbor State University',
    path: '/pls/PROD',
    route: 'bwckschd.p_get_crse_unsec',
    isOlder: true,
    listsRemaining: true,
  },
  {
    school: 'Cedar Valley Community College',
    path: '/prod',
    route: 'bwckctlg.p_disp_listcrse',
    isOlder: false,
    listsRemaining: false,
  },
]

/** What a search must send before anything else, each with a dummy value. */
const DUMMIES = 'sel_subj sel_day sel_schd sel_insm sel_camp sel_levl sel_sess sel_instr sel_ptrm sel_attr'.split(' ')

/** Banner 8 Self-Service at the schools that have it, with the same changes as in their other systems. */
export function banner8StandIns(world: World): StandIn[] {
  return STYLES.flatMap((style) => {
    const school = world.catalog.schools.find(({ name }) => name === style.school)
    const terms = style.terms ?? school?.banner
    const slug = school?.only?.slug ?? school?.banner?.slug
    return school && terms && slug !== undefined ? [banner8StandIn(world, school, slug, { ...style, terms })] : []
  })
}

function banner8StandIn(world: World, school: School, slug: string, style: Required<Banner8Style>): StandIn {
  const { terms: names } = style
  const termOf = (code: string | null): Term | undefined =>
    world.catalog.termsOf(school).find((term) => names.termCode(term) === code)

  const sectionsOf = (code: string | null, listing?: Listing): Section[] => {
    const term = termOf(code)
    return offeredOf(term ? world.catalog.of(school, term) : [], listing)
  }

  const nameOf = (code: string | null): string => {
    const term = termOf(code)
    return term ? names.termDescription(term) : ''
  }

  const termForm = (terms: readonly Term[]): Answer => {
    const listed = terms.map((term): [string, string] => {
      const name = names.termDescription(term)
      return [names.termCode(term), term.past ? `${name} (View only)` : name]
    })
    const select = selectOf('p_term', [['', 'None'], ['209990', 'Do Not Use'], ...listed])
    const fields = `<INPUT TYPE="hidden" NAME="p_calling_proc" VALUE="bwckschd.p_disp_dyn_sched">\n${select}`
    return html(pageOf('Dynamic Schedule', formAround('bwckgens.p_proc_term_date', fields), style))
  }

  const subjectForm = (sections: readonly Section[]): Answer => {
    const subjects = subjectsAmong(sections).map(({ code, name }): [string, string] => [code, name])
    return html(pageOf('Class Schedule Search', formAround(style.route, selectOf('sel_subj', subjects)), style))
  }

  const formAround = (procedure: string, fields: string): string =>
    `<FORM ACTION="/${procedure}" METHOD="POST" onSubmit="return checkSubmit()">\n${fields}\n</FORM>`

  const list = (call: Call, term: string | null, subject: string): Answer => {
    const found = sectionsOf(term, call.listing).filter(({ course }) => course.subject.code === subject)
    return html(listingPage(found, nameOf(term), term ?? '', style))
  }

  /** The database procedure takes the dummies first, and the level with them. */
  const search = (call: Call): Answer => {
    const form = formOf(call)
    const isWhole = DUMMIES.every((name) => form.getAll(name)[0] === 'dummy') && form.getAll('sel_levl')[1] === '%'
    return list(call, form.get('term_in'), isWhole ? (form.getAll('sel_subj')[1] ?? '') : '')
  }

  const listByCourse = (call: Call): Answer => {
    const query = call.url.searchParams
    return list(call, query.get('term_in'), query.get('crse_in') === '%' ? (query.get('subj_in') ?? '') : '')
  }

  const details = (call: Call): Answer => {
    const [term, crn] = [call.url.searchParams.get('term_in'), call.url.searchParams.get('crn_in')]
    const section = sectionsOf(term).find(({ number }) => number === crn)
    if (!section) return html(nothingPage('No detailed class information found', style))
    return html(detailsPage(section, nameOf(term), term ?? '', style))
  }

  const answers: Record<string, (call: Call) => Answer> = {
    'bwckschd.p_disp_dyn_sched': () => termForm(world.catalog.termsOf(school)),
    'bwckgens.p_proc_term_date': (call) => subjectForm(sectionsOf(formOf(call).get('p_term'))),
    'bwckschd.p_get_crse_unsec': (call) =>
      style.route === 'bwckschd.p_get_crse_unsec' ? search(call) : list(call, null, ''),
    'bwckctlg.p_disp_listcrse': listByCourse,
    'bwckschd.p_disp_detail_sched': details,
  }
  const empty: Record<string, () => Answer> = {
    'bwckschd.p_disp_dyn_sched': () => termForm([]),
    'bwckgens.p_proc_term_date': () => subjectForm([]),
    'bwckschd.p_disp_detail_sched': () => html(nothingPage('No detailed class information found', style)),
  }
  const procedureOf = (call: Call): string => call.path.replace(/^\/+/, '')

  return {
    service: school.source,
    prefix: `/schools/${slug}${style.path}`,
    answer: (call) => answers[procedureOf(call)]?.(call) ?? html('<html><body><h1>Not Found</h1></body></html>', 404),
    emptyAnswer: (call) => {
      const procedure = procedureOf(call)
      if (!(procedure in answers)) return null
      return empty[procedure]?.() ?? html(listingPage([], '', '', style))
    },
    lists: (call) => procedureOf(call) === style.route,
    errorBody: (status) => ({
      type: 'text/html',
      body: `<HTML><BODY><H1>${status} mod_plsql error</H1></BODY></HTML>`,
    }),
  }
}
