/** The style of the world's own pages: system fonts, one accent, light and dark from one set of colors. */
export const STYLE = `
:root { color-scheme: light dark;
  --page: light-dark(oklch(97% 0.005 250), oklch(19% 0.015 250));
  --card: light-dark(oklch(100% 0 0), oklch(24% 0.015 250));
  --sunk: light-dark(oklch(94% 0.008 250), oklch(15% 0.012 250));
  --line: light-dark(oklch(88% 0.01 250), oklch(36% 0.015 250));
  --text: light-dark(oklch(24% 0.02 250), oklch(93% 0.008 250));
  --muted: light-dark(oklch(46% 0.02 250), oklch(74% 0.015 250));
  --accent: light-dark(oklch(47% 0.15 255), oklch(76% 0.12 250));
  --on-accent: light-dark(oklch(100% 0 0), oklch(18% 0.03 250));
  --open: light-dark(oklch(46% 0.13 150), oklch(78% 0.15 150));
  --waitlisted: light-dark(oklch(48% 0.11 75), oklch(82% 0.13 80));
  --closed: var(--muted);
  --danger: light-dark(oklch(50% 0.19 27), oklch(74% 0.15 27)); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
a { color: var(--accent); } :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 8px; top: 8px; background: var(--card); padding: 8px; z-index: 2; }
header { background: var(--card); border-bottom: 1px solid var(--line); }
header nav, main { max-width: 1120px; margin: 0 auto; padding: 0 16px; }
header nav { display: flex; flex-wrap: wrap; align-items: center; column-gap: 4px; }
header nav b { margin-right: 12px; }
header nav a { display: inline-flex; align-items: center; min-height: 44px; padding: 0 12px; text-decoration: none; border-bottom: 3px solid transparent; }
header nav a[aria-current] { border-color: var(--accent); font-weight: 600; }
header nav .app { margin-left: auto; }
main { padding-block: 24px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 8px; } h2 { font-size: 20px; margin: 32px 0 12px; }
h1, p, pre { overflow-wrap: anywhere; } .letter { min-width: 0; }
.lead { color: var(--muted); max-width: 70ch; margin: 0 0 24px; }
.muted, time { color: var(--muted); font-size: 14px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 16px; }
.grid { display: grid; gap: 16px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 320px), 1fr)); }
.note { border-left: 4px solid var(--accent); background: var(--card); padding: 12px 16px; margin: 0 0 24px; overflow-wrap: anywhere; }
.note.bad { border-color: var(--danger); }
button, input, select { font: inherit; color: inherit; min-height: 44px; border-radius: 8px; border: 1px solid var(--line); background: var(--card); padding: 0 12px; max-width: 100%; }
button { cursor: pointer; } button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
form.row { display: flex; flex-wrap: wrap; gap: 8px; align-items: end; } label { display: grid; gap: 4px; font-size: 14px; min-width: 0; } label select { width: 100%; } .card { min-width: 0; overflow-wrap: anywhere; }
.card h2 { margin-top: 0; } .card .status { white-space: normal; } .card form + form { margin-top: 8px; } td { overflow-wrap: anywhere; }
form.row label:has([type=search], [name=body]) { flex: 1 1 12rem; } form.row input { min-width: 0; width: 100%; }
.phone { width: 100%; max-width: 340px; border: 10px solid light-dark(oklch(26% 0.01 250), oklch(44% 0.015 250)); border-radius: 40px; overflow: hidden; background: var(--card); display: grid; grid-template-rows: auto 1fr auto; height: 560px; }
.phone header { background: var(--sunk); border: 0; text-align: center; padding: 14px 12px 10px; font-weight: 600; }
.phone header span { display: block; font-weight: 400; }
.phone.locked { background: linear-gradient(light-dark(oklch(84% 0.05 275), oklch(28% 0.06 275)), light-dark(oklch(93% 0.03 85), oklch(18% 0.03 275))); }
.phone.locked header { background: none; padding-top: 28px; } .phone.locked .clock { font-size: 52px; line-height: 1.1; font-weight: 300; color: inherit; }
.phone.locked .bubble { max-width: none; width: 100%; background: color-mix(in oklch, var(--card) 82%, transparent); } .phone.locked > form, .phone.locked > span { border: 0; justify-self: center; padding-bottom: 14px; }
.phone.locked .talk { flex-direction: column; } .bubble .app { display: flex; justify-content: space-between; font-size: 12px; color: var(--muted); } .phone.locked .bubble form { padding: 6px 0 0; border: 0; }
.talk { overflow-y: auto; padding: 12px; display: flex; flex-direction: column-reverse; gap: 8px; }
.bubble { max-width: 88%; padding: 8px 12px; border-radius: 18px; background: var(--sunk); align-self: start; white-space: pre-wrap; overflow-wrap: anywhere; }
.bubble.mine { background: var(--accent); color: var(--on-accent); align-self: end; } .bubble.mine time { color: inherit; }
.bubble time { display: block; font-size: 12px; }
.phone form { display: flex; gap: 6px; padding: 8px; border-top: 1px solid var(--line); } .phone form input { flex: 1; min-width: 0; border-radius: 22px; }
.status { font-weight: 600; white-space: nowrap; } .status::before { content: '●'; margin-right: 6px; }
.status.open { color: var(--open); } .status.waitlisted { color: var(--waitlisted); } .status.waitlisted::before { content: '◐'; }
.status.closed { color: var(--closed); } .status.closed::before { content: '○'; }
table { width: 100%; border-collapse: collapse; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
th { text-align: left; font-size: 14px; color: var(--muted); } th, td { padding: 8px 12px; border-bottom: 1px solid var(--line); vertical-align: top; }
td.n { font-variant-numeric: tabular-nums; white-space: nowrap; } td form { display: flex; gap: 6px; } td button { white-space: nowrap; }
.letter iframe { width: 100%; height: 640px; border: 1px solid var(--line); border-radius: 8px; background: white; color-scheme: light; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--sunk); padding: 12px; border-radius: 8px; font-size: 14px; }
.pages { display: flex; gap: 16px; margin-top: 16px; align-items: center; }
@media (max-width: 640px) {
  table, tbody, tr, td { display: block; } thead { display: none; } td { border: 0; padding: 4px 16px; }
  tr { border-bottom: 1px solid var(--line); padding: 12px 0; } td[data-label]::before { content: attr(data-label) ': '; color: var(--muted); font-size: 14px; }
  .phone { margin: 0 auto; } header nav .app { margin-left: 0; } header nav b { width: 100%; padding-top: 8px; }
}
`

/** Loads what is new every second and a half, but never while someone is using the page. */
export const SCRIPT = `
const live = document.querySelector('[data-live]')
if (live) setInterval(async () => {
  const busy = document.activeElement && live.contains(document.activeElement) && document.activeElement.matches('input, select')
  if (document.hidden || busy) return
  const answer = await fetch(location.href).catch(() => null)
  if (!answer || !answer.ok) return
  const next = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('[data-live]')
  if (next && next.innerHTML !== live.innerHTML) live.innerHTML = next.innerHTML
}, 1500)
`
