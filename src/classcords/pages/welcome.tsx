import { Island } from '../../web/island.tsx'
import type { PageContext } from '../../web/contract.ts'
import type { WelcomeProps } from '../contract.ts'

/** The front of the directory. */
export function WelcomePage({ props, context }: { props: WelcomeProps; context: PageContext }) {
  return <Island name="classcords/welcome" props={props} context={context} />
}
