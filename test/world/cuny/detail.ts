import type { Answer } from '../http.ts'
import { seatsAvailable, statusOf } from '../schools/seats.ts'
import type { Section } from '../schools/types.ts'
import {
  CAREERS,
  COMPONENTS,
  datesOf,
  daysAndTimes,
  instructorLines,
  roomOf,
  sessionName,
  waitingText,
} from './labels.ts'
import { frame } from './layout.ts'

const ICONS = { open: 'status_open.gif', waitlisted: 'status_waiting.gif', closed: 'status_closed.gif' } as const

function pair(name: string, content: string): string {
  return `
	<tr>
	<td rowspan="2" valign="top" align="left">${name}
	</td>
	</tr>
	<tr>
	<td rowspan="1" valign="top" align="left">${content}
	</td>
	</tr>`
}

function meetingRows(section: Section): string {
  const instructors = instructorLines(section)
  const meetings = section.meetings.length === 0 ? [null] : section.meetings
  const cell = (name: string, content: string): string =>
    `        <td data-label="${name}" style="color: #333;">${content}</td>`
  return meetings
    .map(
      (meeting, index) => `
        <tr>
${cell('Days And Times', meeting ? daysAndTimes(meeting, '-') : 'TBA')}
${cell('Room', meeting ? roomOf(meeting) : 'TBA')}
${cell('Instructor', instructors[index] ?? '')}
${cell('Meeting Dates', datesOf(section, '-'))}
        </tr>`,
    )
    .join('')
}

/** Exactly five spans; one college still has the older page, whose spans have PeopleSoft's ids. */
function availability(section: Section): string {
  const { seats, school } = section
  const old = school.institution === 'SLU01'
  const span = (id: string, value: number): string => `<span${old ? ` id="SSR_CLS_DTL_WRK_${id}"` : ''}>${value}</span>`
  return `<b>Class Availability</b>
<table border="0" cellpadding="0" cellspacing="0" style="border-style:none">
    <tbody><tr>
    <td rowspan="2" valign="top" align="left"><label for="none">Class Capacity</label></td>
    <td colspan="2" rowspan="2" valign="top" align="left"><label for="none">Wait List Capacity</label></td>
    </tr>
    <tr>
    <td colspan="4" valign="top" align="right">
    ${span('ENRL_CAP', seats.capacity)}
    </td>
    <td rowspan="2" valign="top" align="right">
    ${span('WAIT_CAP', seats.waitCapacity)}
    </td>
    </tr>
    <tr>
    <td colspan="3" rowspan="2" valign="top" align="left"><label for="none">Enrollment Total</label></td>
    <td rowspan="4" valign="top" align="left"><label for="none">Wait List Total</label></td>
    </tr>
    <tr>
    <td colspan="2" rowspan="2" valign="top" align="right">
    ${span('ENRL_TOT', seats.enrolled)}
    </td>
    <td colspan="2" rowspan="3" valign="top" align="right">
    ${span('WAIT_TOT', seats.waitCount)}
    </td>
    </tr>
    <tr>
    <td colspan="2" rowspan="2" valign="top" align="left"><label for="none">Available Seats</label></td>
    </tr>
    <tr>
    <td colspan="2" valign="top" align="right">
    <div>${span('AVAILABLE_SEATS', seatsAvailable(section))}
    </div></td>
    </tr>
    </tbody>
</table>`
}

/** One section with its numbers, the only place that has them. */
export function detailPage(section: Section): Answer {
  const { school, term, course } = section
  const status = statusOf(section)
  const statusText = { open: 'Open', closed: 'Closed', waitlisted: waitingText(school) }[status]
  const career = CAREERS.find(([code]) => code === section.career)?.[1] ?? ''
  return frame(
    'Global Class Search - Details',
    `<br>
 <div class="shadowbox">
  <p>${course.subject.code} ${course.level} - ${section.code} ${course.title}</p>
  <p>${school.name} | ${term.name} | ${COMPONENTS[section.component]}</p>
 </div>
<br>
<form name="form_search" action="CFSearchToolController" method="POST">
<div>

<b>Class Details</b>

<table border="0" style="border-style:none">
<tbody>
    <tr>
    <td valign="top" align="left">
    <div><table cellpadding="1" cellspacing="1" >
    <tbody><tr><td>
    <table border="0" cellpadding="1" cellspacing="1" style="border-style:none">
    <tbody>${pair('Status', `\n            <img src="images/${ICONS[status]}" alt="Open" title = "${statusText}" align="left">&nbsp;&nbsp;${statusText}`)}${pair('Class Number', section.number)}${pair('Session', sessionName(section, 'long'))}${pair('Units', `\n    ${section.credits} units`)}${pair('Instruction Mode', section.mode)}${pair('Class Components', COMPONENTS[section.component])}${pair('Career', career)}${pair('Dates', datesOf(section, '-'))}${pair('Grading', 'Letter Grades')}${pair('Location', `Main - ${school.name}`)}${pair('Campus', school.name)}
</tbody>
</table>
</td></tr>
</tbody></table>
</div></td>
</tr>
</tbody>
</table>

<br>
<b>Meeting Information</b>

<table class="classinfo">
<thead>
    <tr>
    <th>Days &amp; Times</th>
    <th>Room</th>
    <th>Instructor</th>
    <th>Meeting Dates</th>
    </tr>
</thead>
     <tbody>${meetingRows(section)}
   </tbody>
</table>
<br>
${availability(section)}
<br>
<span class="submit_buttons">
        <input type='submit' name='view_search_results' class='floated_button_back_2' value='View Search Results' title='View Search Results'/>
</span>
</div>
</form>
`,
  )
}

/** The answer for an unknown class: the page without its data. */
export function emptyDetailPage(): Answer {
  return frame(
    'Global Class Search - Details',
    ` <div class="shadowbox">
  <p></p>
 </div>
<form name="form_search" action="CFSearchToolController" method="POST">
<b>Class Details</b>
<span class="submit_buttons">
        <input type='submit' name='view_search_results' value='View Search Results' title='View Search Results'/>
</span>
</form>`,
  )
}
