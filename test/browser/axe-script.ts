import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'

declare global {
  interface Window {
    axe: typeof axe
  }
}

/**
 * Minified, and without its seventeen characters beyond ASCII: with them Chromium would need twice the memory and time
 * for all of it.
 */
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8').replace(
  /[^\0-\x7f]/g,
  (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
)

const path = '/axe.js'
const headers = [
  'HTTP/1.1 200 OK',
  'content-type: text/javascript',
  'cache-control: max-age=3600',
  `content-length: ${source.length}`,
]
/** What a browser's request for the script begins with, and the answer. */
export const axeRequest = `GET ${path} `
export const axeAnswer = `${headers.join('\r\n')}\r\n\r\n${source}`

/**
 * Loads axe into a page, unless it is there, from the page's own address: a browser keeps what it compiled of a script
 * with an address, so this takes a quarter of the time it takes to send the source into every page.
 */
export function loadAxe(page: Page): Promise<void> {
  return page.evaluate(async (src) => {
    if ('axe' in window) return
    const script = document.createElement('script')
    script.src = src
    const loaded = new Promise((resolve, reject) => {
      script.addEventListener('load', resolve)
      script.addEventListener('error', () => reject(new Error(`${src} was not loaded.`)))
    })
    document.head.append(script)
    await loaded
    script.remove()
  }, path)
}
