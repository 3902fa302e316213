import type { Answer } from '../http.ts'
import { statusOf } from '../schools/seats.ts'
import type { School, Section, Term } from '../schools/types.ts'
import { base64, daysAndTimes, datesOf, instructorLines, roomOf, sessionName, termValue } from './labels.ts'
import { frame } from './layout.ts'
import type { CunyResults } from './sessions.ts'

const ICONS = {
  open: ['status_open.gif', 'Open'],
  waitlisted: ['status_waiting.gif', 'Wait'],
  closed: ['status_closed.gif', 'Closed'],
} as const

function detailLink(section: Section): string {
  const { school, term, number, session } = section
  return `CFSearchToolController?class_number_searched=${base64(number)}&session_searched=${base64(session)}&term_searched=${base64(termValue(term))}&inst_searched=${base64(school.name)}`
}

/** Opens `<tbody><tr>` and leaves closing them to whatever ends the table. Nine cells. */
function row(section: Section): string {
  const link = detailLink(section)
  const [icon, title] = ICONS[statusOf(section)]
  const lines = <T>(values: readonly T[], show: (value: T) => string, none: string): string =>
    values.length === 0 ? none : values.map(show).join('<br>')
  const dates = Array.from({ length: Math.max(1, section.meetings.length) }, () => datesOf(section, ' - '))
  const cell = (name: string, content: string): string =>
    `						<td data-label="${name}" style="color: #333;">${content}</td>`
  return `
			 	<tbody>
					<tr>
${cell('Class', `<a href="${link}">${section.number}</a>`)}					
${cell('Section', `<a href="${link}">${section.code}-${section.component} ${sessionName(section, 'short')}</a>`)}					
${cell(
  'DaysAndTimes',
  lines(section.meetings, (meeting) => daysAndTimes(meeting, ' - '), 'TBA'),
)}
${cell('Room', lines(section.meetings, roomOf, 'TBA'))}
${cell('Instructor', instructorLines(section).join('<br>'))}
${cell('Instruction Mode', section.mode)}
${cell(
  'Meeting Dates',
  lines(dates, () => datesOf(section, ' - '), ''),
)}
${cell('Status', `&nbsp;<img src="images/${icon}" alt="Open" title = "${title}" align="right">`)}
${cell('Course Topic', section.topic ?? section.course.title)}	
						
				`
}

function courseBlock(sections: readonly Section[], index: number): string {
  const [first] = sections
  if (!first) return ''
  const { subject, level, title } = first.course
  return `
				<div class="testing_msg">											
						<span>&nbsp;<a id='imageDivLink${index}' href="javascript:subjectToggle('contentDivImg${index}', 'imageDivLink${index}')" aria-label="Class Section Sub"><img src="images/expand_subject.gif" alt="Expand Class"></a>&nbsp;${subject.code}&nbsp;${level}&nbsp;-&nbsp;${title}</span>		
				</div>
				<br>
		    <div id='contentDivImg${index}' style="display: block;">

		    <script type="text/javascript"> hideDiv('contentDivImg${index}'); </script>
				<table class="classinfo"> 	
				  <thead>	 		
				      <tr>
						<th>Class</th>
						<th>Section</th>
						<th>Days & Times</th>
						<th>Room</th>					
						<th>Instructor</th>
						<th>Instruction Mode</th>
						<th>Meeting Dates</th>
						<th>Status</th>
						<th>Course Topic</th>	
				     </tr> 
				    </thead>
${sections.map(row).join('')}	
				</tr>
				</tbody>
				</table>
				
				<br>
</div>
`
}

function collegeBlock(
  college: School,
  term: Term,
  sections: readonly Section[],
  index: number,
  firstCourse: number,
): string {
  const courses = [...Map.groupBy(sections, (section) => `${section.course.level} ${section.course.title}`).values()]
  return `
	<br>
	<div class="testing_msg">
		 <span><a id='imageDivLink_inst${index}' href="javascript:subjectToggleInst('contentDivImg_inst${index}', 'imageDivLink_inst${index}');" aria-label="Class Section"><img src="images/expand.gif" alt="Expanded"></a>&nbsp;&nbsp;${college.name} | ${term.name} | ${sections.length} class section(s) found</span>
	</div>
	<div id='contentDivImg_inst${index}' style="display: block;">
	<script type="text/javascript"> hideDiv('contentDivImg_inst${index}'); </script>
	<br>
${courses.map((course, position) => courseBlock(course, firstCourse + position)).join('')}
	</div>
`
}

/** All found sections on one page, one block per college, numbered consecutively. */
export function resultsPage(term: Term, { echo, colleges }: CunyResults): Answer {
  const total = colleges.reduce((sum, { sections }) => sum + sections.length, 0)
  let courseNumber = 0
  const blocks = colleges
    .filter(({ sections }) => sections.length > 0)
    .map(({ college, sections }, index) => {
      const block = collegeBlock(college, term, sections, index, courseNumber)
      courseNumber += new Set(sections.map((section) => `${section.course.level} ${section.course.title}`)).size
      return block
    })
  return frame(
    'Global Class Search - Results',
    ` <div class="shadowbox">
  <p>${colleges.map(({ college }) => college.name).join(' | ')} | ${term.name}</p> 
 </div>
<br>
<form name="form_search" action="CFSearchToolController" method="POST">

 <div class="testing_msg">
 	<span>The following classes match your search criteria Course Subject: <strong>${echo.subject}</strong>, Course Career: <strong>${echo.career}</strong>,          Show Open Classes Only: <strong>${echo.openOnly ? 'Yes' : 'No'}</strong>  </span>
 </div>	 
<br>
 <div class="openclosewaitlist">	
   <img src="images/status_open.gif" width="16" height="16" alt="Open" title="Open">&nbsp;Open&nbsp;&nbsp; 	
   <img src="images/status_closed.gif" width="16" height="16" alt="Closed" title="Closed">&nbsp;Closed&nbsp;&nbsp;
   <img src="images/status_waiting.gif" width="16" height="16" alt="Wait List" title="Wait List">&nbsp;Wait List
 </div>
<br>
<div class="classfound_msg">
 	<span>${total} class section(s) found&nbsp;</span>
</div>	 
<br>
<div>
${blocks.join('')}
				<br><br>
<span class="submit_buttons">
	<input type='submit' name='new_search' id='search_new_spin' class='new_search_button'  value='New Search' title='New Search'/>
	<input type='submit' name='modify_search'  class='modify_search_button'  value='Modify Search' title='Modify Search'/>
</span>
</div>
</form>
`,
  )
}
