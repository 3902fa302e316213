import type { Answer } from '../http.ts'

/** ISO-8859-1 with CRLF line ends, like every page of the site. */
function latin1Page(body: string, status = 200): Answer {
  const bytes = Buffer.from(body.replaceAll(/\r?\n/g, '\r\n'), 'latin1')
  return { status, headers: { 'content-type': 'text/html;charset=ISO-8859-1' }, body: bytes }
}

/** The frame around every page: head elements after the wrapper has begun, as on the real site. */
export function frame(title: string, content: string): Answer {
  return latin1Page(`
<!-- =================== -->

<!DOCTYPE html>
<html lang="en-US">
<head>
<title>${title}</title>

<meta name="viewport" content="width=device-width, initial-scale=1, shrink-to-fit=no">
<meta http-equiv="content-type" content="text/html; charset=iso-8859-1">
<link rel="stylesheet" href="css/main.css">
<script src="js/spin.min.js"></script>

<div class="wrapper">

<div class = "banner">
	<img class="logobanner" src="images/new_globalsearch_logo.jpg" alt="CUNYfirst Global Search Tool Banner">
</div>

</head>
<body>

<br>
${content}

<!--end of sidebar-->

<div class="footer">
	<div class="footer__items">
	  Stand-in | <a class ="footerlink" href="/catalog" target="popup">Terms of Use</a>
	</div>
</div>

</body>
</html>
`)
}
