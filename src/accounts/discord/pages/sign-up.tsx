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
      title="Sign Up"
      lead={`You are about to use your Discord account to login to Class Cords, ${displayName}. As a final step, please complete the following form:`}
      action="/accounts/3rdparty/signup/"
      submit="Sign Up"
      faults={faults}
      links={[{ href: '/accounts/login/', label: 'Sign in to an account you have' }]}
    >
      <TextInput
        name="email"
        label="Email"
        type="email"
        autoComplete="email"
        value={email}
        maxLength={254}
        faults={faults}
        help="We send a link to it. You are signed in once you have followed it and come back through Discord."
      />
    </FormPage>
  )
}
