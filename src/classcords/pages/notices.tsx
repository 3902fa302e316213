import { Island } from '../../web/island.tsx'
import type { PageContext } from '../../web/contract.ts'
import type { NoticesProps } from '../contract.ts'

/** What the directory had to tell this person. */
export function NoticesPage({ props, context }: { props: NoticesProps; context: PageContext }) {
  return <Island name="classcords/notices" props={props} context={context} />
}
