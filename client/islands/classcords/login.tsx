import { useMemo, type FormEvent } from 'react'
import type { ClasscordsLoginProps } from '../../../src/classcords/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Button } from '../../components/button.tsx'
import { CsrfToken } from '../../components/navbar.tsx'
import { useAct } from '../../components/use-act.ts'
import type { IslandProps } from '../index.ts'
import { classcordsCalls } from './calls.ts'

interface SignInFormProps {
  context: Pick<PageContext, 'csrf_token'>
  referral: string | null
}

/**
 * Begins the sign-in at Discord. The referral goes along as a hidden field; where scripts run it is also redeemed first, and
 * should that fail the sign-in goes on all the same.
 */
export function SignInForm({ context, referral }: SignInFormProps) {
  const calls = useMemo(() => classcordsCalls(context.csrf_token), [context.csrf_token])
  const { busy, act } = useAct()

  function redeemFirst(event: FormEvent<HTMLFormElement>): void {
    if (referral === null) return
    event.preventDefault()
    const form = event.currentTarget
    act(async () => {
      await calls
        .redeemReferral(referral)
        .catch((error: unknown) => console.info('The referral was not redeemed.', error))
      form.submit()
    })
  }

  return (
    <form id="discord-sign-in" method="post" action="/accounts/discord/login/" onSubmit={redeemFirst}>
      <CsrfToken context={context} />
      {referral !== null && <input type="hidden" name="referral" value={referral} />}
      <Button kind="primary" icon="discord" type="submit" busy={busy}>
        Sign in with Discord
      </Button>
    </form>
  )
}

export function Island({ props, context }: IslandProps<ClasscordsLoginProps>) {
  return <SignInForm context={context} referral={props.referral} />
}
