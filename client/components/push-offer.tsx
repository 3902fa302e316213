import type { PageContext } from '../../src/web/contract.ts'
import { BrandMark } from './brand-mark.tsx'
import { Button } from './button.tsx'

interface PushOfferProps {
  /** The public key that browsers subscribe with. */
  pushKey: string
  /** Identifies the device's owner: the token of a recipient's own page, or the code of a message. */
  by: { name: 'token' | 'code'; value: string }
  context: Pick<PageContext, 'csrf_token'>
  /** Whether another action on the page comes first. */
  isSecond?: boolean
}

/** Offers push notifications on this device; hidden until `client/scripts/push.ts` knows that the browser has them. */
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
      {isSecond ? <SideOffer /> : <MainOffer />}
      <p hidden data-push-home-screen="">
        For notifications on an iPhone or iPad, add this page to the Home Screen first: tap Share, then Add to Home
        Screen. Open it from there and get push notifications.
      </p>
      <p role="status" />
    </div>
  )
}

function MainOffer() {
  return (
    <p>
      <Button kind="primary" icon="bell">
        Get push notifications
      </Button>
    </p>
  )
}

/** The benefits, shown beside the button when another action comes first. */
function SideOffer() {
  return (
    <div className="offer">
      <span className="mark-tile" aria-hidden="true">
        <BrandMark size={24} />
      </span>
      <p className="offer-text" id="lock-screen">
        <span className="strong">Get it on your lock screen</span>
        <span className="muted meta">Push comes first. A text follows only if you miss it.</span>
      </p>
      <Button kind="soft" aria-label="Turn on push notifications" aria-describedby="lock-screen">
        Turn on
      </Button>
    </div>
  )
}
