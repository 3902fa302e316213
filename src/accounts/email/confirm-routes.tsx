import { Hono } from 'hono'
import { Button } from '../../../client/components/button.tsx'
import { CsrfToken } from '../../../client/components/navbar.tsx'
import { flash } from '../../web/flash.ts'
import { contextOf } from '../../web/page-context.ts'
import { showPage } from '../../web/page.tsx'
import { formOf, hasForm, textField } from '../../web/parse.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { postNotice } from '../mails/post-notice.ts'
import { NoticePage } from '../pages/notice-page.tsx'
import { confirmAddress, type ConfirmationKey, findConfirmationKey } from './confirm-address.ts'
import { confirmationMessage, sendConfirmation } from './send-confirmation.ts'

export const confirmRoutes = new Hono<SiteEnv>()

confirmRoutes.get('/confirm-email/', (c) =>
  showPage(c, {
    page: 'VerificationSent',
    title: 'Verify Your Email Address',
    props: {},
    body: (
      <NoticePage title="Verify Your Email Address" links={[{ href: '/accounts/login/', label: 'Sign in' }]}>
        <p>
          We have sent an email to you. Follow the link in it to finish; it works for 3 days. If nothing comes within a
          few minutes, look into your spam folder.
        </p>
        <p className="muted small">Signing in again sends another link, at most one every 3 minutes.</p>
      </NoticePage>
    ),
  }),
)

confirmRoutes.get('/confirm-email/:key/', async (c) =>
  showKey(c, c.req.param('key'), await findConfirmationKey(c.env, c.req.param('key'), Date.now())),
)

confirmRoutes.post('/confirm-email/:key/', async (c) => {
  const key = c.req.param('key')
  const now = Date.now()
  const wantsAnother = hasForm(c) && textField(await formOf(c), 'action') === 'resend'
  const confirmed = wantsAnother ? null : await confirmAddress(c.env, key, now)
  if (confirmed) {
    const detail = `Confirmed address: ${confirmed.address}.`
    await postNotice(c, { kind: 'address_confirmed', userId: confirmed.userId, detail, to: confirmed.address }, now)
    flash(c, 'success', `You have confirmed ${confirmed.address}.`)
    return c.redirect(c.get('user') ? '/accounts/email/' : '/accounts/login/', 303)
  }
  const found = await findConfirmationKey(c.env, key, now)
  if (wantsAnother && (found.kind === 'live' || found.kind === 'expired')) {
    const result = await sendConfirmation(c, found, now)
    flash(c, ...confirmationMessage(result, found.address))
    return c.redirect('/accounts/confirm-email/', 303)
  }
  return showKey(c, key, found)
})

function showKey(c: SiteContext, key: string, found: ConfirmationKey): Promise<Response> {
  const isLive = found.kind === 'live'
  return showPage(c, {
    page: 'ConfirmEmail',
    title: 'Confirm Email Address',
    props: {},
    status: isLive ? 200 : found.kind === 'taken' ? 409 : 404,
    faults: [{ message: whyNot(found) }],
    body: isLive ? (
      <NoticePage title="Confirm Email Address" links={[]}>
        <p>
          Please confirm that <strong>{found.address}</strong>
          {` is an email address of the user ${found.username}.`}
        </p>
        <KeyForm c={c} address={key} action="confirm" label="Confirm" />
      </NoticePage>
    ) : (
      <DeadKey c={c} address={key} found={found} />
    ),
  })
}

function whyNot(found: ConfirmationKey): string {
  return found.kind === 'taken'
    ? `Unable to confirm ${found.address} because it is already confirmed by a different account.`
    : 'This email confirmation link expired or is invalid.'
}

function DeadKey({ c, address, found }: { c: SiteContext; address: string; found: ConfirmationKey }) {
  if (found.kind === 'taken') {
    return (
      <NoticePage title="Confirm Email Address" links={[{ href: '/accounts/login/', label: 'Sign in' }]}>
        <p>{whyNot(found)}</p>
      </NoticePage>
    )
  }
  const links = [{ href: '/accounts/email/', label: 'Issue a new confirmation request' }]
  return (
    <NoticePage title="Confirm Email Address" links={found.kind === 'expired' ? [] : links}>
      <p>{whyNot(found)}</p>
      {found.kind === 'expired' ? <KeyForm c={c} address={address} action="resend" label="Send a new link" /> : null}
    </NoticePage>
  )
}

function KeyForm({ c, address, action, label }: { c: SiteContext; address: string; action: string; label: string }) {
  return (
    <form method="post" action={`/accounts/confirm-email/${encodeURIComponent(address)}/`}>
      <CsrfToken context={contextOf(c)} />
      <input type="hidden" name="action" value={action} />
      <Button kind="primary" type="submit">
        {label}
      </Button>
    </form>
  )
}
