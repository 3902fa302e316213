import './push.ts'

/* The page of one message works without a script. This script adds a button that copies the number, and reports that a
   browser opened the page, unlike an email filter that only fetches it. */

const { csrf_token: token } = (
  JSON.parse(document.getElementById('page-data')?.textContent ?? '') as { context: { csrf_token: string } }
).context
const page = location.pathname.replace(/\/$/, '')

function say(what: 'opened' | 'copied'): void {
  const headers = { 'x-csrftoken': token }
  // Only for the record: a failure changes nothing for the reader.
  fetch(`${page}/${what}/`, { method: 'POST', headers, keepalive: true }).catch(() => {})
}

for (const block of document.querySelectorAll<HTMLElement>('[data-copy]')) {
  const button = block.querySelector('button')
  const words = button?.querySelector('span')
  if (!button || !words) continue
  button.hidden = false
  block.addEventListener('click', () => {
    navigator.clipboard.writeText(block.dataset['copy'] ?? '').then(
      () => {
        words.textContent = 'Copied'
        say('copied')
      },
      () => (words.textContent = 'Not copied'),
    )
    setTimeout(() => (words.textContent = 'Copy'), 2000)
  })
}

/** A page older than this, in ms, is loaded again when its reader comes back to it. */
const OLD_MS = 60_000
const loadedAt = Date.now()

/** Without a connection the page stays, because its number can still be read. */
async function renew(): Promise<void> {
  if (document.hidden || Date.now() - loadedAt < OLD_MS) return
  const answer = await fetch(page, { method: 'HEAD' }).catch(() => null)
  if (answer?.ok) location.reload()
}
document.addEventListener('visibilitychange', () => void renew())
// Safari shows the page again without that event after Back.
addEventListener('pageshow', () => void renew())

say('opened')
