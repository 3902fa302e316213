import type { PageContext } from '../../src/web/contract.ts'
import { Button } from './button.tsx'

interface PushOfferProps {
  /** What browsers subscribe with. */
  pushKey: string
  /** What says whose device it will be: the token of a recipient's own page, or the code of a message. */
  by: { name: 'token' | 'code'; value: string }
  context: Pick<PageContext, 'csrf_token'>
  /** Where something else is the first thing to do. */
  isSecond?: boolean
}

/** Get push notifications on this device. Hidden until `client/scripts/push.ts` knows whether the browser can. */
export function PushOffer({ pushKey, by, context, isSecond = false }: PushOfferProps) {
  return (
    <div
      className="stack stack-small"
      hidden
      data-push={pushKey}
      data-name={by.name}
      data-value={by.value}
      data-csrf={context.csrf_token}
    >
      <p>
        <Button kind={isSecond ? 'plain' : 'primary'} wide={isSecond} icon="bell">
          Get push notifications
        </Button>
      </p>
      <p hidden data-push-home-screen="">
        For notifications on an iPhone or iPad, add this page to the Home Screen first: tap Share, then Add to Home
        Screen. Open it from there and get push notifications.
      </p>
      <p role="status" />
    </div>
  )
}
