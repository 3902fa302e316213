import { createElement, type ComponentType } from 'react'
import { renderToString } from 'react-dom/server'
import { IslandBoundary } from '../../../client/components/island-boundary.tsx'
import type { IslandName, IslandProps } from '../../../client/islands/index.ts'
import { islandComponents, type PropsOfIsland } from '../../../client/islands/server.ts'
import type { PageContext } from '../contract.ts'
import { contextOf, type Page, showPage } from './page.tsx'
import type { SiteContext } from '../site.ts'

interface Props<Name extends IslandName> {
  name: Name
  /** The page's own props: in the browser the island reads them from page-data. */
  props: PropsOfIsland<Name>
  context: PageContext
}

/** A root of its own, as in the browser: only then do the ids that React generates for labels match. */
export function Island<Name extends IslandName>({ name, props, context }: Props<Name>) {
  const id = `island-${name.replaceAll('/', '-')}`
  // The map pairs each name with a component that takes these props; TypeScript cannot follow a generic key through it.
  const component = islandComponents[name] as ComponentType<IslandProps<PropsOfIsland<Name>>>
  const html = renderToString(<IslandBoundary>{createElement(component, { props, context })}</IslandBoundary>, {
    identifierPrefix: id,
  })
  return <div id={id} data-island={name} dangerouslySetInnerHTML={{ __html: html }} />
}

/** Responds with a page whose whole content is one island. */
export function showIsland<Name extends IslandName>(
  c: SiteContext,
  name: Name,
  page: Omit<Page, 'body' | 'island'> & { props: PropsOfIsland<Name> },
): Promise<Response> {
  const body = <Island name={name} props={page.props} context={contextOf(c)} />
  return showPage(c, { ...page, body, island: name })
}
