/** The one script that pages of staff and managers load besides an island's: their keyboard shortcuts. */
export const keysScript =
  /<script type="module" src="\/assets\/keys-[A-Z0-9]+\.js" data-palette="\/assets\/palette-[A-Z0-9]+\.js" data-search="[a-z/.]+"><\/script>/

/** A page without it. @throws if a staff page has none */
export function withoutKeys(html: string): string {
  if (!keysScript.test(html)) throw new Error('The page does not load the keys.')
  return html.replace(keysScript, '')
}
