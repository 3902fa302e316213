import { Hono } from 'hono'
import type { ListedSchool } from '../../sources/schools/directory.ts'
import { typedSearch } from '../../lib/text.ts'
import { flash } from '../../web/session/flash.ts'
import { offerExpiredForm } from '../../web/session/expired-form.ts'
import { contextOf, showPage } from '../../web/page/page.tsx'
import { formOf, textField } from '../../web/parse.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import type { AddSchoolProps, ListedSchoolCheck } from './contract.ts'
import { AddSchoolPage } from './pages/add-school.tsx'
import { ListedSchoolPage } from './pages/listed-school.tsx'
import { staffOnly, trackerActorOf } from '../tracker-actor.ts'
import { addListedSchool } from './add-listed-school.ts'
import { askAddress, nothingAt, checkListedSchool } from './check-listed-school.ts'
import { listedSchoolFacts, readListedSchool, searchListedSchools } from './listed-schools.ts'

const MAX_ADDRESS = 500

const schoolsPath = '/class_tracker/schools/'
const pageOf = (c: SiteContext) => `${schoolsPath}${encodeURIComponent(c.req.param('listed_school') ?? '')}/`

/** Adding a school from the directory: type its name, see what is known, add it. */
export const listedSchools = new Hono<SiteEnv>()

listedSchools.get('/', staffOnly, async (c) => {
  const props = await searchListedSchools(c.env, typedSearch(c.req.query('q') ?? ''))
  const expiredForm = await offerExpiredForm(c, `${schoolsPath}ask/`)
  return showAddSchool(
    c,
    expiredForm ? { ...props, asked: { ...nothingAt(textField(expiredForm, 'address')), why: null } } : props,
  )
})

listedSchools.post('/ask/', staffOnly, async (c) => {
  const typed = textField(await formOf(c), 'address')
    .trim()
    .slice(0, MAX_ADDRESS)
  const props = await searchListedSchools(c.env, '')
  return showAddSchool(c, { ...props, asked: await askAddress(c.env, trackerActorOf(c), typed, Date.now) })
})

// Answers to forms are shown at the forms' URLs; a reload of one, or a return to it after a login, shows the page with
// the form.
listedSchools.get('/ask/', staffOnly, (c) => c.redirect(schoolsPath, 302))
listedSchools.get('/:listed_school/check/', staffOnly, (c) => c.redirect(pageOf(c), 302))
listedSchools.get('/:listed_school/add/', staffOnly, (c) => c.redirect(pageOf(c), 302))

listedSchools.get('/:listed_school/', staffOnly, async (c) =>
  showListedSchool(c, await readListedSchool(c.env, c.req.param('listed_school')), null),
)

listedSchools.post('/:listed_school/check/', staffOnly, async (c) => {
  const listed = await readListedSchool(c.env, c.req.param('listed_school'))
  return showListedSchool(c, listed, await checkListedSchool(c.env, trackerActorOf(c), listed, Date.now))
})

listedSchools.post('/:listed_school/add/', staffOnly, async (c) => {
  const listed = await readListedSchool(c.env, c.req.param('listed_school'))
  const { name } = await addListedSchool(c.env, trackerActorOf(c), listed, Date.now())
  flash(
    c,
    'success',
    `${name} is added. Its terms, subjects and sections are being read now. To undo this, delete it in the admin.`,
  )
  return c.redirect('/class_tracker/manage_course_list/', 303)
})

function showAddSchool(c: SiteContext, props: AddSchoolProps): Promise<Response> | Response {
  const body = <AddSchoolPage {...props} context={contextOf(c)} />
  return showPage(c, { page: 'AddSchool', title: 'Add a school', props, body })
}

async function showListedSchool(
  c: SiteContext,
  listed: ListedSchool,
  check: ListedSchoolCheck | null,
): Promise<Response> {
  const props = { school: await listedSchoolFacts(c.env.DB, listed), check }
  const body = <ListedSchoolPage {...props} context={contextOf(c)} />
  return showPage(c, { page: 'ListedSchool', title: listed.name, props, body })
}
