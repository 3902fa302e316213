import type { PropsWithChildren } from 'react'
import manifest from '../../../.build/manifest.json'
import { paletteAddress } from '../../../client/components/navbar-places.ts'
import { Shell } from '../../../client/components/shell.tsx'
import type { IslandName } from '../../../client/islands/index.ts'
import type { PageData } from '../contract.ts'
import { scriptJson, type Share, ShareTags } from './share.tsx'

interface DocumentProps {
  title: string
  /** What search engines and link previews are given about the page; default: a description of the site. */
  description?: string
  pageData: PageData<unknown>
  /** The island in the body, if any. */
  island: IslandName | undefined
  /** A small script for a page that also works without it. */
  script?: ScriptName
  /** The address of the web app manifest; default: the site's own. */
  appManifest?: string
  /** `origin`: the site's address. */
  share?: Share & { origin: string }
}

export type ScriptName = keyof typeof manifest.scripts

declare module '@hono/react-renderer' {
  interface Props extends DocumentProps {}
}

const siteDescription =
  'Class Cords watches full college classes and messages you the moment a seat opens, and lists Discord servers for classes.'

/** The HTML document around every page. */
export function Document({
  title,
  description = siteDescription,
  pageData,
  island,
  script,
  appManifest = '/app.webmanifest',
  share,
  children,
}: PropsWithChildren<DocumentProps>) {
  const search = paletteAddress(pageData.context)
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title === 'Class Cords' ? title : `${title} · Class Cords`}</title>
        <meta name="description" content={description} />
        <meta name="theme-color" content="#fcfaf7" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#0d0d14" media="(prefers-color-scheme: dark)" />
        <ShareTags share={share} title={title} description={description} />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="manifest" href={appManifest} />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        <link rel="preload" href={manifest.font} as="font" type="font/woff2" crossOrigin="" />
        {stylesOf(pageData.context.path).map((style) => (
          <link key={style} rel="stylesheet" href={style} />
        ))}
        {island && <script type="module" src={manifest['main.js']} />}
        {script && <script type="module" src={manifest.scripts[script]} />}
        {search !== null && (
          <script
            type="module"
            src={manifest.scripts.keys}
            data-palette={manifest.scripts.palette}
            data-search={search}
          />
        )}
        {island && chunksOf(island).map((chunk) => <link key={chunk} rel="modulepreload" href={chunk} />)}
      </head>
      <body>
        <Shell context={pageData.context}>{children}</Shell>
        <script type="application/json" id="page-data" dangerouslySetInnerHTML={{ __html: scriptJson(pageData) }} />
      </body>
    </html>
  )
}

/** What only staff use is a file of its own, so that students do not load it. */
export function stylesOf(path: string): readonly string[] {
  const isForStaff = /^\/(admin|class_tracker|scheduler)(\/|$)/.test(path)
  return isForStaff ? [manifest['style.css'], manifest['staff.css']] : [manifest['style.css']]
}

/** The files of an island, which the browser may fetch before a script requests them. */
export function chunksOf(island: IslandName): readonly string[] {
  const chunks: Readonly<Record<string, readonly string[]>> = manifest.islands
  return chunks[island] ?? []
}
