import { Island } from '../../web/island.tsx'
import type { PageContext } from '../../web/contract.ts'
import type { WelcomeProps } from '../contract.ts'

/** The front of the directory. React puts the description into the head. */
export function WelcomePage({ props, context }: { props: WelcomeProps; context: PageContext }) {
  return (
    <>
      <meta name="description" content="Find and join Discord servers for your college classes" />
      <Island name="classcords/welcome" props={props} context={context} />
    </>
  )
}
