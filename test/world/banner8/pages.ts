import { COMPONENTS } from '../cuny/labels.ts'
import { escapeHtml } from '../http.ts'
import { crossListCount, seatsAvailable } from '../schools/seats.ts'
import type { BannerStyle, Meeting, Section } from '../schools/types.ts'

/** How one Banner 8 site differs from the next. */
export interface Banner8Style {
  /** The name of the school whose classes it shows. */
  school: string
  /** Its format of terms, if it has no newer Banner. */
  terms?: Pick<BannerStyle, 'termCode' | 'termDescription'>
  /** The path of the application below the school's. */
  path: string
  /** The page that lists classes; the other one finds nothing. */
  route: 'bwckschd.p_get_crse_unsec' | 'bwckctlg.p_disp_listcrse'
  /** Older releases write tags in capitals, and omit most optional closing tags. */
  isOlder: boolean
  /** Lists have a separate column for remaining seats. */
  listsRemaining: boolean
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const TBA = '<ABBR title = "To Be Announced">TBA</ABBR>'
const cell = (text: string): string => `<td CLASS="dddefault">${text}</td>\n`
const head = (text: string): string => `<th CLASS="ddheader" scope="col" >${text}</th>\n`

/** "2026-08-26" → "Aug 26, 2026" */
function dayOf(iso: string): string {
  const [year = '', month = '', day = ''] = iso.split('-')
  return `${MONTHS[Number(month) - 1]} ${day}, ${year}`
}

/** "1905" → "7:05 pm" */
function clock(hhmm: string): string {
  const hour = Number(hhmm.slice(0, 2))
  return `${hour % 12 === 0 ? 12 : hour % 12}:${hhmm.slice(2)} ${hour < 12 ? 'am' : 'pm'}`
}

/** A page around its content, as every procedure of the database writes it. */
export function pageOf(title: string, content: string, { isOlder }: Banner8Style): string {
  const page = `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/transitional.dtd">
<html lang="en">
<head>
<meta http-equiv="Content-Type" content="text/html; charset=UTF-8">
<title>${title}</title>
</head>
<body>
<table  CLASS="plaintable" SUMMARY="This table displays title and static header displays." WIDTH="100%">
<tr>
<TD CLASS="pldefault"><h2>${title}</h2></TD>
<TD CLASS="pldefault"><p class="rightaligntext" /p></TD>
</tr>
</table>
<div class="pagebodydiv">
${content}
</div>
<SPAN class="releasetext">Release: 8.7.2</SPAN>
</body>
</html>`
  return isOlder ? page.replaceAll(/<\/?[a-z]+(?=[\s>])/g, (tag) => tag.toUpperCase()) : page
}

export function selectOf(name: string, options: readonly (readonly [code: string, label: string])[]): string {
  const listed = options.map(([code, label]) => `<OPTION VALUE="${escapeHtml(code)}">${escapeHtml(label)}`).join('\n')
  return `<SELECT NAME="${name}" SIZE="1" ID="${name}_id">\n${listed}\n</SELECT>`
}

function titleOf({ course, number, code }: Section): string {
  return escapeHtml(`${course.title} - ${number} - ${course.subject.code} ${course.level} - ${code}`)
}

function catalogLink(course: string, term: string): string {
  const [subject = '', level = ''] = course.split(' ')
  const query = `term_in=${term}&amp;one_subj=${subject}&amp;sel_crse_strt=${level}&amp;sel_crse_end=${level}&amp;sel_subj=`
  return `bwckctlg.p_display_courses?${query}`
}

function factsOf(section: Section, termName: string, term: string): string {
  const { course, component, campus, mode, credits, creditsAsRange } = section
  const hours = creditsAsRange ? `1.000 TO ${credits}.000` : `${credits}.000`
  return `<SPAN class="fieldlabeltext">Associated Term: </SPAN>${escapeHtml(termName)} 
<br />
<SPAN class="fieldlabeltext">Levels: </SPAN>Graduate, Undergraduate 
<br />
<br />
${escapeHtml(campus)} Campus
<br />
${COMPONENTS[component]} Schedule Type
<br />
${escapeHtml(mode)} Instructional Method
<br />
       ${hours} Credits
<br />
<a href="/${catalogLink(`${course.subject.code} ${course.level}`, term)}">View Catalog Entry</a>
<br />
<br />`
}

function meetingRow(section: Section, meeting: Meeting, { listsRemaining }: Banner8Style): string {
  const { term, instructors } = section
  const isTimed = meeting.begins !== null && meeting.ends !== null
  const names = instructors.map(
    ({ first, last }, index) => `${first}  ${last}${index === 0 ? ' (<ABBR title= "Primary">P</ABBR>)' : ''}`,
  )
  return `<tr>
${cell('Class')}${cell(isTimed ? `${clock(meeting.begins ?? '')} - ${clock(meeting.ends ?? '')}` : TBA)}${cell(meeting.days === '' ? '&nbsp;' : meeting.days)}${cell(meeting.building ? escapeHtml(`${meeting.building.name} ${meeting.room ?? ''}`) : TBA)}${cell(`${dayOf(term.starts)} - ${dayOf(term.ends)}`)}${cell(COMPONENTS[section.component])}${cell(names.length === 0 ? TBA : names.join(', '))}${listsRemaining ? cell(String(seatsAvailable(section))) : ''}</tr>`
}

/** The teacher is in a separate row if nothing else is announced. */
function meetingsOf({ meetings }: Section): readonly Meeting[] {
  const nothing: Meeting = { days: '', begins: null, ends: null, building: null, room: null, kind: 'online' }
  return meetings.length > 0 ? meetings : [nothing]
}

/** A class as in the list. */
function listed(section: Section, termName: string, term: string, style: Banner8Style): string {
  const heads = ['Type', 'Time', 'Days', 'Where', 'Date Range', 'Schedule Type', 'Instructors']
  const columns = style.listsRemaining ? [...heads, 'Remaining Seats'] : heads
  const link = `bwckschd.p_disp_detail_sched?term_in=${term}&amp;crn_in=${section.number}`
  return `<tr>
<th CLASS="ddtitle" scope="colgroup" ><a href="/${link}">${titleOf(section)}</a></th>
</tr>
<tr>
<TD CLASS="dddefault">
This class is held on the Main Campus
<br />
${factsOf(section, termName, term)}
<table  CLASS="datadisplaytable" SUMMARY="This table lists the scheduled meeting times and assigned instructors for this class.."><caption class="captiontext">Scheduled Meeting Times</caption>
<tr>
${columns.map(head).join('')}</tr>
${meetingsOf(section)
  .map((meeting) => meetingRow(section, meeting, style))
  .join('\n')}
</table>
<br />
<br />
</TD>
</tr>`
}

export function listingPage(sections: readonly Section[], termName: string, term: string, style: Banner8Style): string {
  if (sections.length === 0) return nothingPage('No classes were found that meet your search criteria', style)
  const content = `<input type="hidden" name="sel_crn" value="dummy" />
<table  CLASS="datadisplaytable" SUMMARY="This layout table is used to present the sections found" width="100%"><caption class="captiontext">Sections Found</caption>
${sections.map((section) => listed(section, termName, term, style)).join('\n')}
</table>
<table  CLASS="datadisplaytable" summary="This is for formatting of the bottom links." WIDTH="50%"><tr><TD CLASS="ntdefault">Return to Previous</TD></tr></table>`
  return pageOf('Class Schedule Listing', content, style)
}

export function nothingPage(words: string, style: Banner8Style): string {
  const content = `<TABLE CLASS="plaintable" SUMMARY="This layout table holds message information"><TR><TD CLASS="pldefault"><SPAN class="warningtext">${words}</SPAN></TD></TR></TABLE>`
  return pageOf('Class Schedule', content, style)
}

function seatRow(label: string, all: number, taken: number): string {
  return `<tr>
<th CLASS="ddlabel" scope="row" ><SPAN class="fieldlabeltext">${label}</SPAN></th>
${cell(String(all))}${cell(String(taken))}${cell(String(all - taken))}</tr>
`
}

/** The page of one class, the only one with seats. Its first row is opened twice. */
export function detailsPage(section: Section, termName: string, term: string, style: Banner8Style): string {
  const { seats, crossList } = section
  const others = crossList?.members.filter((member) => member !== section) ?? []
  const links = others.map(
    ({ course }) => `<a href="/${catalogLink(`${course.subject.code} ${course.level}`, term)}">Course</a>`,
  )
  const content = `<table  CLASS="datadisplaytable" SUMMARY="This table is used to present the detailed class information." width="100%"><caption class="captiontext">Detailed Class Information</caption>
<tr>
<th CLASS="ddlabel" scope="row" >${titleOf(section)}<br /><br /></th>
</tr>
<tr>
<TD CLASS="dddefault">
${factsOf(section, termName, term)}
<table  CLASS="datadisplaytable" SUMMARY="This layout table is used to present the seating numbers." width = "100%"><caption class="captiontext">Registration Availability</caption>
<tr>
<td CLASS="dddead">&nbsp;</td>
${['Capacity', 'Actual', 'Remaining'].map((name) => head(`<SPAN class="fieldlabeltext">${name}</SPAN>`)).join('')}<tr>
${seatRow('Seats', seats.capacity, seats.enrolled)}${seatRow('Waitlist Seats', seats.waitCapacity, seats.waitCount)}${crossList ? seatRow('Cross List Seats', crossList.capacity, crossListCount(section)) : ''}</table>
<br />
${crossList ? `<SPAN class="fieldlabeltext">Cross List Courses: </SPAN>\n<br />\n${links.join('\n<br />\n')}\n<br />` : ''}
<SPAN class="fieldlabeltext">Restrictions:</SPAN>
<br />
Must be enrolled in one of the following Campuses:&nbsp; &nbsp; &nbsp; 
<br />
&nbsp; &nbsp; &nbsp; Distant Campus
<br />
</TD>
</tr>
</table>
<table  CLASS="datadisplaytable" SUMMARY="This is for formatting of the bottom links." WIDTH="50%"><tr><TD CLASS="ntdefault">Return to Previous</TD></tr></table>`
  return pageOf('Detailed Class Information', content, style)
}
