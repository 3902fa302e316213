import { Island } from '../../web/island.tsx'
import type { PageContext } from '../../web/contract.ts'
import type { ProfileProps } from '../contract.ts'

/** One's own chat account, school and submissions. Needs a linked account in the context. */
export function ProfilePage({ props, context }: { props: ProfileProps; context: PageContext }) {
  return <Island name="classcords/profile" props={props} context={context} />
}
