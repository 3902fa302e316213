import { Island } from '../../web/island.tsx'
import type { PageContext } from '../../web/contract.ts'
import type { ServerProps } from '../contract.ts'

/** A server and the ways into it. */
export function ServerPage({ props, context }: { props: ServerProps; context: PageContext }) {
  return <Island name="classcords/server" props={props} context={context} />
}
