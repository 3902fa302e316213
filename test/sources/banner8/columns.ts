/**
 * A list of classes in columns, with a class with a laboratory, one online, and one whose row has a second opening tag.
 */
export const COLUMNS = `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/transitional.dtd">
<html lang="en"><head><title>Schedule of Classes</title></head>
<body>
<table class="plaintable"><tr><td>Fall 2026</td></tr></table>
<TABLE CLASS="datadisplaytable" SUMMARY="This layout table is used to present the sections found" width="100%">
<tr><th class="ddtitle" colspan="17">Mathematics</th></tr>
<tr>
<th class="ddheader">Select</th><th class="ddheader"><abbr title="Course Reference Number">CRN</abbr></th><th class="ddheader"><abbr title="Subject">Subj</abbr></th>
<th class="ddheader"><abbr title="Course">Crse</abbr></th><th class="ddheader"><abbr title="Section">Sec</abbr></th><th class="ddheader">Cmp</th>
<th class="ddheader">Cred</th><th class="ddheader">Title</th><th class="ddheader">Days</th><th class="ddheader">Time</th><th class="ddheader">Cap</th>
<th class="ddheader">Act</th><th class="ddheader">Rem</th><th class="ddheader">Instructor</th><th class="ddheader">Date (MM/DD)</th>
<th class="ddheader">Location</th><th class="ddheader">Attribute</th>
</tr>
<tr class="dddefault-odd"><tr class="dddefault-odd">
<td class="dddefault"><abbr title="Closed">C</abbr></td>
<td class="dddefault"><a href="/PROD/bwckschd.p_disp_detail_sched?term_in=202710&amp;crn_in=35012">35012</a></td>
<td class="dddefault"><abbr title="Mathematics">MATH</abbr></td><td class="dddefault">1010</td><td class="dddefault">101</td>
<td class="dddefault"><abbr title="Harbor Campus - Bayview">HB</abbr></td><td class="dddefault">4.000</td>
<td class="dddefault"><abbr title="Numbers, sets and functions">College Algebra</abbr></td>
<td class="dddefault"><ul><li class="active"><abbr title="Monday">M</abbr></li><li><abbr title="Tuesday">T</abbr></li><li class="active"><abbr title="Wednesday">W</abbr></li></ul></td>
<td class="dddefault">09:30 am-10:45 am</td><td class="dddefault">24</td><td class="dddefault">24</td><td class="dddefault">0</td>
<td class="dddefault">Ada M. Lovelace (<ABBR title="Primary">P</ABBR>)</td><td class="dddefault">08/31-12/21</td>
<td class="dddefault"><abbr title="Hall"><a href="/map">Harbor Campus</a></abbr> Room <a href="/map">2242</a></td><td class="dddefault">&nbsp;</td>
</tr>
<tr class="dddefault-odd">
<td class="dddefault">&nbsp;</td><td class="dddefault">&nbsp;</td><td class="dddefault">&nbsp;</td><td class="dddefault">&nbsp;</td>
<td class="dddefault">&nbsp;</td><td class="dddefault">&nbsp;</td><td class="dddefault">&nbsp;</td><td class="dddefault">&nbsp;</td>
<td class="dddefault"><ul><li class="active"><abbr title="Friday">F</abbr></li></ul></td><td class="dddefault">01:00 pm-02:50 pm</td>
<td class="dddefault">&nbsp;</td><td class="dddefault">&nbsp;</td><td class="dddefault">&nbsp;</td><td class="dddefault">Emmy Noether</td>
<td class="dddefault">08/31-12/21</td><td class="dddefault">Harbor Campus Room 5</td><td class="dddefault">&nbsp;</td>
</tr>
<tr class="dddefault-even">
<td class="dddefault">&nbsp;</td>
<td class="dddefault"><a href="/PROD/bwckschd.p_disp_detail_sched?term_in=202710&amp;crn_in=35013">35013</a></td>
<td class="dddefault"><abbr title="Mathematics">MATH</abbr></td><td class="dddefault">1020</td><td class="dddefault">601</td>
<td class="dddefault"><abbr title="Online">OL</abbr></td><td class="dddefault">3.000</td><td class="dddefault">Calculus</td>
<td class="dddefault">&nbsp;</td><td class="dddefault"><abbr title="To Be Announced">TBA</abbr></td><td class="dddefault">20</td><td class="dddefault">9</td>
<td class="dddefault">11</td><td class="dddefault"><abbr title="To Be Announced">TBA</abbr></td><td class="dddefault">08/31-12/21</td>
<td class="dddefault">Online</td><td class="dddefault">&nbsp;</td>
</tr>
</TABLE>
<table class="datadisplaytable" summary="This is for formatting of the bottom links."><tr><td><a href="/PROD/bwckschd.p_disp_dyn_sched">Return</a></td></tr></table>
</body></html>
`
