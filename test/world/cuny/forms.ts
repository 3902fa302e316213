import type { Answer } from '../http.ts'
import type { School, Subject, Term } from '../schools/types.ts'
import { frame } from './layout.ts'
import { CAREERS, termValue } from './labels.ts'

/** First page: which colleges, which term. */
export function firstPage(colleges: readonly School[], terms: readonly Term[]): Answer {
  const boxes = colleges.map(
    ({ institution, name }) =>
      `	<li><input type="checkbox" name="inst_selection" id="${institution}" value="${institution}"><label for="${institution}">${name}</label></li>`,
  )
  const options = terms.map((term) => `		<option value="${termValue(term)}">${term.name}</option>`)
  return frame(
    'Global Class Search',
    `<form name="searchform" action="CFSearchToolController" method="POST">
<input type="hidden" name="selectedInstName" value="">
<input type="checkbox" id="magicpowerpd" name="magicpowerpd"><label for="magicpowerpd">Select All</label>
<ul class="checkboxes">
${boxes.join('\n')}
</ul>
<input type="hidden" name="selectedTermName" value="">
	<select id="t_pd" name="term_value">
		<option value=""></option>
${options.join('\n')}
	</select>
<input type="submit" id="search_new_spin" name="next_btn" value="Next" title="Next"/>
</form>`,
  )
}

/** Criteria page: the subjects of the selected colleges by their CUNY-wide keys, and their careers. */
export function criteriaPage(
  chosen: { colleges: readonly School[]; term: Term },
  subjects: readonly Subject[],
  careers: ReadonlySet<string>,
  message = '',
): Answer {
  const options = subjects.map(({ key, name }) => `		<option value="${key}">${name}</option>`)
  const careerOptions = CAREERS.filter(([code]) => careers.has(code)).map(
    ([code, name]) => `		<option value="${code}">${name}</option>`,
  )
  return frame(
    'Global Class Search - Criteria',
    ` <div class="shadowbox">
  <p>${chosen.colleges.map((college) => college.name).join(' | ')} | ${chosen.term.name}</p>
 </div>
${message && ` <div class="testing_msg">\n 	<span>${message}</span>\n </div>\n`}<form name="class_search_form" action="CFSearchToolController" method="POST">
	<select id="subject_ld" name="subject_name">
		<option value=""></option>
${options.join('\n')}
	</select>
	<select id="courseCareerId" name="courseCareer">
		<option value=""></option>
${careerOptions.join('\n')}
	</select>
	<input type="checkbox" id="open_class_id" name="open_class" value="O" checked="checked"><label for="open_class_id">Show Open Classes Only</label>
	<select id="sessionId" name="class_session">
		<option value=""></option>
		<option value="1">Regular Academic Session</option>
		<option value="7W1">Seven Week - First</option>
		<option value="7W2">Seven Week - Second</option>
	</select>
	<input type="checkbox" name="ModeOfIns" value="P"> In Person
	<input type="text" id="instructorNameId" name="instructorName" value="">
	<input type="submit" id="btnGetAjax" name="search_btn_search" value="Search" title="Search"/>
	<input type="submit" name="new_search" value="New Search" title="New Search"/>
</form>`,
  )
}
