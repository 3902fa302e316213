/** The form with the terms, most of its options unclosed. */
export const TERMS = `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/transitional.dtd">
<HTML lang="en"><HEAD><TITLE>Dynamic Schedule</TITLE></HEAD>
<BODY>
<FORM ACTION="/PROD/bwckgens.p_proc_term_date" METHOD="POST" onSubmit="return checkSubmit()">
<INPUT TYPE="hidden" NAME="p_calling_proc" VALUE="bwckschd.p_disp_dyn_sched">
<TABLE CLASS="dataentrytable"><TR><TD>
<SELECT NAME="p_term" SIZE="1" ID="term_input_id">
<OPTION VALUE="">None
<OPTION VALUE="209990">Fall 2099 Do Not Use
<OPTION VALUE="202710">Fall 2026
<OPTION VALUE="202705">Summer Session: May - Aug 2026
<OPTION VALUE="202630">Spring 2026 (View only)
<OPTION VALUE="202609">First Term: Sep - Dec 2025 (View only)
<OPTION VALUE="2026CE">Continuing Education
</SELECT>
</TD></TR></TABLE>
</FORM>
</BODY></HTML>
`

/** The search form of one term. */
export const SUBJECTS = `<html lang="en"><head><title>Class Schedule Search</title></head>
<body>
<form action="/PROD/bwckschd.p_get_crse_unsec" method="post">
<input type="hidden" name="term_in" value="202710" />
<input type="hidden" name="sel_subj" value="dummy" />
<select name="sel_subj" size="10" MULTIPLE ID="subj_id">
<OPTION VALUE="%" SELECTED>All</OPTION>
<OPTION VALUE="MATH">Mathematics</OPTION>
<OPTION VALUE="ART">Arts &amp; Crafts</OPTION>
</select>
<select name="sel_camp" size="3" MULTIPLE ID="camp_id"><OPTION VALUE="%" SELECTED>All</OPTION></select>
</form>
</body></html>
`

/** Three classes: with an exam and two teachers, with nothing announced, and without a table of meetings. */
export const LISTING = `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/transitional.dtd">
<HTML lang="en"><head><title>Class Schedule Listing</title></head>
<body>
<table CLASS="plaintable" SUMMARY="This table displays title and static header displays."><tr><TD><p class="rightaligntext" /p></TD></tr></table>
<input type="hidden" name="sel_crn" value="dummy" />
<table CLASS="datadisplaytable" SUMMARY="This layout table is used to present the sections found" width="100%"><caption class="captiontext">Sections Found</caption>
<tr>
<th CLASS="ddtitle" scope="colgroup" ><a href="/PROD/bwckschd.p_disp_detail_sched?term_in=202710&amp;crn_in=10001">Topics - Knots &amp; Links - 10001 - MATH 1010 - A01</a></th>
</tr>
<tr>
<TD CLASS="dddefault">
This course will meet on the Distant Campus
<br />
<SPAN class="fieldlabeltext">Associated Term: </SPAN>Fall 2026 
<br />
<SPAN class="fieldlabeltext">Levels: </SPAN>Graduate, Undergraduate 
<br />
<br />
Boston, Main Campus
<br />
Lecture Schedule Type
<br />
Online Instructional Method
<br />
       1.500 Credits
<br />
<a href="/PROD/bwckctlg.p_display_courses?term_in=202710&amp;one_subj=MATH&amp;sel_crse_strt=1010">View Catalog Entry</a>
<br />
<br />
<table CLASS="datadisplaytable" SUMMARY="This table lists the scheduled meeting times and assigned instructors for this class.."><caption class="captiontext">Scheduled Meeting Times</caption>
<tr>
<th CLASS="ddheader" scope="col" >Type</th>
<th CLASS="ddheader" scope="col" >Time</th>
<th CLASS="ddheader" scope="col" >Days</th>
<th CLASS="ddheader" scope="col" >Where</th>
<th CLASS="ddheader" scope="col" >Date Range</th>
<th CLASS="ddheader" scope="col" >Schedule Type</th>
<th CLASS="ddheader" scope="col" >Instructors</th>
<th CLASS="ddheader" scope="col" >Remaining Seats</th>
</tr>
<tr>
<td CLASS="dddefault">Class</td>
<td CLASS="dddefault">9:15 am - 10:20 am</td>
<td CLASS="dddefault">MWR</td>
<td CLASS="dddefault">Hall 210</td>
<td CLASS="dddefault">Sep 09, 2026 - Dec 04, 2026</td>
<td CLASS="dddefault">Lecture</td>
<td CLASS="dddefault">Emmy   Noether (<ABBR title= "Primary">P</ABBR>)<a href="mailto:instructor@example.edu" target="Emmy Noether" ><img src="/mail.gif" alt="Email" /></a>, Sophie  Germain</td>
<td CLASS="dddefault">3</td>
</tr>
<tr>
<td CLASS="dddefault">Final Exam</td>
<td CLASS="dddefault">8:00 am - 9:00 am</td>
<td CLASS="dddefault">F</td>
<td CLASS="dddefault"><ABBR title = "To Be Announced">TBA</ABBR></td>
<td CLASS="dddefault">Dec 11, 2026 - Dec 18, 2026</td>
<td CLASS="dddefault">Lecture</td>
<td CLASS="dddefault">Emmy   Noether (<ABBR title= "Primary">P</ABBR>)</td>
<td CLASS="dddefault">3</td>
</tr>
</table>
<br />
<br />
</TD>
</tr>
<tr>
<th CLASS="ddtitle" scope="colgroup" ><a href="/PROD/bwckschd.p_disp_detail_sched?term_in=202710&amp;crn_in=8145">Algebra - 8145 - MATH 2900H - 01</a></th>
</tr>
<tr>
<TD CLASS="dddefault">
<SPAN class="fieldlabeltext">Associated Term: </SPAN>Fall 2026 
<br />
Boston, Main Campus
<br />
Laboratory Schedule Type
<br />
1.000 TO 3.000 Credits
<br />
<table CLASS="datadisplaytable" SUMMARY="This table lists the scheduled meeting times and assigned instructors for this class.."><caption class="captiontext">Scheduled Meeting Times</caption>
<tr>
<th CLASS="ddheader" scope="col" >Type</th>
<th CLASS="ddheader" scope="col" >Time</th>
<th CLASS="ddheader" scope="col" >Days</th>
<th CLASS="ddheader" scope="col" >Where</th>
<th CLASS="ddheader" scope="col" >Date Range</th>
<th CLASS="ddheader" scope="col" >Schedule Type</th>
<th CLASS="ddheader" scope="col" >Instructors</th>
</tr>
<tr>
<td CLASS="dddefault">Class</td>
<td CLASS="dddefault"><ABBR title = "To Be Announced">TBA</ABBR></td>
<td CLASS="dddefault">&nbsp;</td>
<td CLASS="dddefault"><ABBR title = "To Be Announced">TBA</ABBR></td>
<td CLASS="dddefault">Sep 09, 2026 - Dec 04, 2026</td>
<td CLASS="dddefault">Laboratory</td>
<td CLASS="dddefault"><ABBR title = "To Be Announced">TBA</ABBR></td>
</tr>
</table>
</TD>
</tr>
<tr>
<th CLASS="ddtitle" scope="colgroup" ><a href="/PROD/bwckschd.p_disp_detail_sched?term_in=202710&amp;crn_in=10003">Analysis - 10003 - MATH 3000 - B02</a></th>
</tr>
<tr>
<TD CLASS="dddefault">
<SPAN class="fieldlabeltext">Associated Term: </SPAN>Fall 2026 
<br />
Boston, Main Campus
<br />
3.000 Credits
<br />
</TD>
</tr>
</table>
<table CLASS="datadisplaytable" summary="This is for formatting of the bottom links." WIDTH="50%"><tr><TD CLASS="ntdefault">Return to Previous</TD></tr></table>
</body>
</html>
`

/** Columns of the table of seats. */
type Figures = readonly [capacity: number | string, actual: number | string, remaining: number | string]

interface Shown {
  heading: string
  seats: Figures
  waiting: Figures
  shared?: Figures
  campus?: string
  term?: string
}

const row = (label: string, figures: Figures): string => `<tr>
<th CLASS="ddlabel" scope="row" ><SPAN class="fieldlabeltext">${label}</SPAN></th>
${figures.map((figure) => `<td CLASS="dddefault">${figure}</td>`).join('\n')}
</tr>
`

/** The page of one class, its rows opened twice as at real schools. */
export function detailsHtml({
  heading,
  seats,
  waiting,
  shared,
  campus = 'Boston, Main',
  term = '202710',
}: Shown): string {
  const link = `/PROD/bwckctlg.p_display_courses?term_in=${term}&amp;one_subj=ART&amp;sel_crse_strt=1010`
  const others = `<SPAN class="fieldlabeltext">Cross List Courses: </SPAN>\n<br />\n<a href="${link}">ART 1010</a>\n<br />`
  return `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/transitional.dtd">
<HTML lang="en"><head><title>Detailed Class Information</title></head>
<body>
<table CLASS="datadisplaytable" SUMMARY="This table is used to present the detailed class information." width="100%"><caption class="captiontext">Detailed Class Information</caption>
<tr>
<th CLASS="ddlabel" scope="row" >${heading}<br /><br /></th>
</tr>
<tr>
<TD CLASS="dddefault">
<SPAN class="fieldlabeltext">Associated Term: </SPAN>Fall 2026 
<br />
${campus} Campus
<br />
       1.500 Credits
<br />
<a href="${link}">View Catalog Entry</a>
<br />
<table CLASS="datadisplaytable" SUMMARY="This layout table is used to present the seating numbers." width = "100%"><caption class="captiontext">Registration Availability</caption>
<tr>
<td CLASS="dddead">&nbsp;</td>
<th CLASS="ddheader" scope="col" ><SPAN class="fieldlabeltext">Capacity</SPAN></th>
<th CLASS="ddheader" scope="col" ><SPAN class="fieldlabeltext">Actual</SPAN></th>
<th CLASS="ddheader" scope="col" ><SPAN class="fieldlabeltext">Remaining</SPAN></th>
<tr>
${row('Seats', seats)}${row('Waitlist Seats', waiting)}${shared ? row('Cross List Seats', shared) : ''}</table>
<br />
${shared ? others : ''}
<SPAN class="fieldlabeltext">Restrictions:</SPAN>
<br />
Must be enrolled in one of the following Campuses:&nbsp; &nbsp; &nbsp; 
<br />
&nbsp; &nbsp; &nbsp; Distant Campus
<br />
</TD>
</tr>
</table>
</body>
</html>`
}
