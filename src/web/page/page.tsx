import type { ReactElement } from 'react'
import manifest from '../../../.build/manifest.json'
import type { IslandName } from '../../../client/islands/index.ts'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { chunksOf, type ScriptName, stylesOf } from './document.tsx'
import type { Share } from './share.tsx'
import type { SiteContext } from '../site.ts'
import { wantsJson } from '../wants-json.ts'
import type { PageContext } from '../contract.ts'

export interface Page {
  page: string
  title: string
  /** One sentence for search engines and link previews. */
  description?: string
  /** Exactly what page-data and the page's island contain: JSON that this person may see. Default: nothing. */
  props?: object
  body: ReactElement
  /** Default: 200. */
  status?: ContentfulStatusCode
  /** Why a form is shown again or a link does not work; a client that prefers JSON gets only this. */
  errors?: readonly { message: string }[]
  /** The island in the body; without one, the page does not load the islands' script. */
  island?: IslandName | undefined
  /** A small script for a page that also works without it. */
  script?: ScriptName
  /** The address of the manifest used when the page is added to a Home Screen; default: the site's. */
  manifest?: string
  /** The page's link preview; without one, the page is not indexed. */
  share?: Share
}

/** A page, or its data for a client that prefers JSON (for an error, the sentences); flashes count as shown. */
export async function showPage(c: SiteContext, page: Page): Promise<Response> {
  const pageData = { page: page.page, props: page.props ?? {}, context: contextOf(c) }
  const status = page.status ?? 200
  c.status(status)
  if (c.req.method !== 'HEAD') c.set('areMessagesShown', true)
  if (wantsJson(c)) return c.json(status < 400 ? pageData : sentencesOf(page))
  const { title, description, island, script, manifest: appManifest, share } = page
  c.header('link', filesOf(pageData.context.path, island))
  return c.render(page.body, {
    title,
    ...(description !== undefined && { description }),
    ...(script && { script }),
    ...(appManifest !== undefined && { appManifest }),
    ...(share && { share: { ...share, origin: c.env.APP_URL } }),
    pageData,
    island,
  })
}

/**
 * The page's style, font and scripts as a header. Cloudflare caches it and sends it as early hints, so that the browser
 * fetches them while the page waits for the database
 * (https://developers.cloudflare.com/workers/examples/103-early-hints/).
 */
function filesOf(path: string, island: IslandName | undefined): string {
  const scripts = island === undefined ? [] : [manifest['main.js'], ...chunksOf(island)]
  // Modules are fetched with `crossorigin`; without it in the hint, they would be fetched twice.
  const links = scripts.map((script) => `<${script}>; rel=preload; as=script; crossorigin`)
  const font = `<${manifest.font}>; rel=preload; as=font; type="font/woff2"; crossorigin`
  const styles = stylesOf(path).map((style) => `<${style}>; rel=preload; as=style`)
  return [...styles, font, ...links].join(', ')
}

/** The errors, as one or more sentences. */
function sentencesOf({ title, errors = [] }: Page): string[] {
  return errors.length > 0 ? errors.map(({ message }) => message) : [`${title}.`]
}

export function contextOf(c: SiteContext): PageContext {
  const user = c.get('user')
  return {
    user: {
      is_authenticated: user !== null,
      is_superuser: user?.is_superuser ?? false,
      name: user?.name ?? '',
      discord_user: user?.discord_user ?? null,
    },
    csrf_token: c.get('csrfToken'),
    messages: c.get('messages'),
    path: new URL(c.req.url).pathname,
    static_url: '/assets/',
    time_zone: c.get('timeZone'),
  }
}
