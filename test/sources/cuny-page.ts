/** Writes a results page in the site's own shape, malformed where the site's is. */

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
  /** College of the block the rows stand in, where another than the page's. */
  blockSchool?: string
  /** What that block says it holds, where it is wrong. */
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
