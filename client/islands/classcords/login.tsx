import type { FormEvent } from 'react'
import type { ClasscordsLoginProps } from '../../../src/classcords/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Button } from '../../components/button.tsx'
import { DiscordMark } from '../../components/discord-mark.tsx'
import { PostForm } from '../../components/post-form.tsx'
import { useAct } from '../../components/use-act.ts'
import type { IslandProps } from '../index.ts'
import { calls } from '#in-browser/islands/classcords/calls.ts'

interface LoginFormProps {
  context: Pick<PageContext, 'csrf_token'>
  referral: string | null
}

/** Leads to Discord. With scripts a referral is redeemed first; logging in continues if that fails. */
export function LoginForm({ context, referral }: LoginFormProps) {
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
    <PostForm context={context} id="discord-login" action="/accounts/discord/login/" onSubmit={redeemFirst}>
      {referral !== null && <input type="hidden" name="referral" value={referral} />}
      <Button kind="discord" type="submit" large wide busy={busy}>
        {!busy && <DiscordMark />}
        Sign in with Discord
      </Button>
    </PostForm>
  )
}

export function Island({ props, context }: IslandProps<ClasscordsLoginProps>) {
  return <LoginForm context={context} referral={props.referral} />
}
