import appManifest from '../../../client/app-manifest.json'
import type { SiteContext } from '../site.ts'

/** The manifest for adding a page to a phone's Home Screen: the app then opens this page instead of the front page. */
export function appManifestOf(c: SiteContext, path: string): Response {
  const manifest = { ...appManifest, start_url: path, id: path }
  return c.body(JSON.stringify(manifest), 200, { 'content-type': 'application/manifest+json' })
}
