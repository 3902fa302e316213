import { Button } from '../../../../client/components/button.tsx'

interface UnsubscribeProps {
  /** Masked. */
  address: string
  is_opted_out: boolean
}

/** Asks before stopping, because mail scanners open every link; then says what is so, with the way back. */
export function UnsubscribePage({
  said,
  props,
  csrfToken,
}: {
  said: string
  props: UnsubscribeProps
  csrfToken: string
}) {
  return (
    <div className="narrow stack">
      <h1>Class alerts</h1>
      <p>{said}</p>
      <form method="post">
        <input type="hidden" name="csrf_token" value={csrfToken} />
        {props.is_opted_out ? <input type="hidden" name="resubscribe" value="1" /> : null}
        <Button kind={props.is_opted_out ? 'plain' : 'primary'} type="submit">
          {props.is_opted_out ? 'Send me messages again' : 'Stop these messages'}
        </Button>
      </form>
    </div>
  )
}
