/** Writes a results page in the site's own format, malformed like the site's. */

export interface PageRow {
  number: string
  section?: string
  times?: string
  teachers?: string
  mode?: string
  /** Of the picture: file name and title; its alt is always "Open". */
  status?: readonly [file: string, title: string]
  topic?: string
}

export interface PageCourse {
  heading: string
  rows: PageRow[]
}

export interface PageOptions {
  school?: string
  term?: string
  subject?: string
  career?: string
  openOnly?: string
  stated?: number
  /** The college of the block with the rows, if it is not the page's. */
  blockSchool?: string
  /** The count that the block states, if it is wrong. */
  blockStated?: number
}

export const ASKED = {
  school: 'Queens College',
  term: '2026 Fall Term',
  subject: 'Health, Phys Ed & Dance',
  career: 'Undergraduate',
}

export function resultsHtml(courses: PageCourse[], options: PageOptions = {}): string {
  const { school, term, subject, career } = { ...ASKED, ...options }
  const count = courses.reduce((sum, { rows }) => sum + rows.length, 0)
  const stated = options.stated ?? count
  return `<!DOCTYPE html><html><head><title>Global Class Search - Results</title></head><body>
 <div class="shadowbox">
  <p>${school} | ${term}</p>
 </div>
 <div class="testing_msg">
  <span>The following classes match your search criteria Course Subject: <strong>${subject}</strong>, Course Career: <strong>${career}</strong>,   Show Open Classes Only: <strong>${options.openOnly ?? 'No'}</strong>  </span>
 </div>
 <div class="openclosewaitlist">
  <img src="images/status_open.gif" alt="Open" title="Open">&nbsp;<img src="images/status_closed.gif" alt="Closed" title="Closed">
 </div>
 <div class="classfound_msg"> <span>${stated} class section(s) found&nbsp;</span> </div>
 <div class="testing_msg"><span><a id='imageDivLink_inst0' href="javascript:x()"><img src="images/expand.gif" alt="Expanded"></a>&nbsp;&nbsp;${options.blockSchool ?? school} | ${term} | ${options.blockStated ?? count} class section(s) found</span></div>
 <div id='contentDivImg_inst0' style="display: block;">
${courses.map(courseHtml).join('\n')}
 </div>
</body>
</html>`
}

function courseHtml({ heading, rows }: PageCourse, index: number): string {
  return `<div class="testing_msg"><span>&nbsp;<a id='imageDivLink${index}' href="javascript:y()"><img src="images/expand_subject.gif" alt="Expand Class"></a>&nbsp;${heading.replaceAll(' ', '&nbsp;')}</span>
 </div>
 <div id='contentDivImg${index}'><script type="text/javascript"> if (1 < 2) hideDiv('contentDivImg${index}'); </script>
 <table class="classinfo"><thead><tr><th>Class</th><th>Days & Times</th></tr></thead>
${rows.map(rowHtml).join('\n')}
 </tr></tbody></table></div>`
}

function rowHtml(row: PageRow): string {
  const [file, title] = row.status ?? ['status_open.gif', 'Open']
  const cells = [
    ['Class', `<a href="C?a=MQ==&b=Mg==">${row.number}</a>`],
    ['Section', `<a href="C?a=MQ==&b=Mg==">${row.section ?? '01-LEC Regular'}</a>`],
    ['DaysAndTimes', row.times ?? 'MoWe 9:05AM - 10:20AM'],
    ['Room', 'TBA'],
    ['Instructor', row.teachers ?? 'Ada Lovelace'],
    ['Instruction Mode', row.mode ?? 'In Person'],
    ['Meeting Dates', '08/28/2026 - 12/21/2026'],
    ['Status', `&nbsp;<img src="images/${file}" alt="Open" title = "${title}" align="right">`],
    ['Course Topic', row.topic ?? 'Modern Dance'],
  ]
  return ` <tbody>\n  <tr>\n${cells.map(([label, cell]) => `   <td data-label="${label}" style="color: #333;">${cell}</td>`).join('\n')}`
}

export interface DetailOptions {
  number?: string
  school?: string
  term?: string
  /** Of the picture: file name and title; and the word beside it. */
  status?: readonly [file: string, title: string, word: string]
  /** Capacity, list's capacity, enrolled, waiting, available. */
  figures?: readonly (number | string)[]
  /** With the ids of pages before 2022 instead of labels. */
  isOld?: boolean
}

const FIGURES = [
  ['Class Capacity', 'ENRL_CAP'],
  ['Wait List Capacity', 'WAIT_CAP'],
  ['Enrollment Total', 'ENRL_TOT'],
  ['Wait List Total', 'WAIT_TOT'],
  ['Available Seats', 'AVAILABLE_SEATS'],
] as const

/** Writes the page of one class in the site's own format: labels and values in tables inside tables. */
export function detailHtml(options: DetailOptions): string {
  const { number, school, term, status, figures, isOld } = {
    number: '39021',
    status: ['status_open.gif', 'Open', 'Open'],
    figures: [30, 0, 25, 0, 5],
    isOld: false,
    ...ASKED,
    ...options,
  }
  const [file, title, word] = status
  const picture = file === '' ? '' : `<img src="images/${file}" alt="Open" title = "${title}" align="left">`
  const pair = (name: string, value: string) =>
    `<tr><td rowspan="2">${name}\n </td></tr>\n<tr><td rowspan="1">${value}\n </td></tr>`
  const span = (value: number | string, index: number) =>
    isOld ? `<span id="SSR_CLS_DTL_WRK_${FIGURES[index]?.[1] ?? 'MORE'}">${value}</span>` : `<span>${value}</span>`
  const rows = figures.map(
    (value, index) =>
      `<tr><td>${isOld ? '' : `<label for="none">${FIGURES[index]?.[0] ?? 'More'}</label>`}</td></tr>\n<tr><td><div>${span(value, index)}\n </div></td></tr>`,
  )
  // The old page had its figures in a different order.
  if (isOld) rows.reverse()
  return `<html><head><title>Global Class Search - Details</title></head><body>
<div class="shadowbox"><p>DAN 101 - 01 Modern Dance</p><p>${school} | ${term} | Lecture</p></div>
<form name="form_search"><div><b>Class Details</b>
<table><tbody><tr><td><div><table><tbody><tr><td><table><tbody>
${number === '' ? '' : pair('Status', `${picture}&nbsp;&nbsp;${word}`) + pair('Class Number', number) + pair('Session', 'Regular Academic Session')}
</tbody></table></td></tr></tbody></table></div></td></tr></tbody></table>
<b>Enrollment Information</b><table><tr><td><label>Requirement Designation</label></td><td><span>Regular</span></td></tr></table>
<b>Class Availability</b>
<table><tbody>${rows.join('\n')}
</tbody></table>
<br><b>Description</b><table><tr><td><span>Dance.</span></td></tr></table>
</div></form></body></html>`
}
