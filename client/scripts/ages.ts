import { relativeText } from '../components/time-text.ts'

/* Keeps the ages of a page without React up to date (client/components/age.tsx). */

const openedAt = Date.now()
const ages = [...document.querySelectorAll<HTMLElement>('[data-age]')]
// The age was correct when the page was rendered; counting on from there works even if the device's clock is wrong.
setInterval(() => {
  for (const age of ages) age.textContent = relativeText(openedAt - Number(age.dataset['age']), Date.now())
}, 1000)
