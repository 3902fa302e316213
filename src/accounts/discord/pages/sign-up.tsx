import type { PageContext } from '../../../web/contract.ts'
import { type Fault, FormPage, TextInput } from '../../pages/form-page.tsx'

interface DiscordSignUpPageProps {
  context: PageContext
  displayName: string
  email: string
  faults: readonly Fault[]
}

/** Asks somebody new for an e-mail address, which a mailed link then confirms. */
export function DiscordSignUpPage({ context, displayName, email, faults }: DiscordSignUpPageProps) {
  return (
    <FormPage
      context={context}
      title="Sign up"
      lead={`You are about to use your Discord account to login to Class Cords, ${displayName}. As a final step, please complete the following form:`}
      action="/accounts/3rdparty/signup/"
      submit="Sign up"
      faults={faults}
      links={[{ href: '/accounts/login/', label: 'Log in to an account you have' }]}
    >
      <TextInput
        name="email"
        label="Email"
        type="email"
        autoComplete="email"
        value={email}
        maxLength={254}
        faults={faults}
        help="We will send a link to it. Follow the link, then log in with Discord again."
      />
    </FormPage>
  )
}
