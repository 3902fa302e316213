import { Hono } from 'hono'
import { Badge } from '../../../client/components/badge.tsx'
import { Button } from '../../../client/components/button.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import type { PageContext } from '../../web/contract.ts'
import { flash } from '../../web/session/flash.ts'
import { offerExpiredForm } from '../../web/session/expired-form.ts'
import { contextOf, showPage } from '../../web/page/page.tsx'
import { formOf, textField } from '../../web/parse.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { takeLimits } from '../account-limits.ts'
import { prepareNotice } from '../mails/prepare-notice.ts'
import { ownerOf } from '../owner.ts'
import { AccountPage } from '../pages/account-page.tsx'
import { FormErrorSummary, TextInput } from '../pages/form-page.tsx'
import { invalid, noErrors, tooManyRequests } from '../pages/show-form.tsx'
import { recentlyAuthenticated } from '../reauthenticate/recently-authenticated.ts'
import { SECOND_PRESS_MS } from '../durations.ts'
import { requireLogin, loggedIn } from '../roles.ts'
import { notAnAddress, typedAddress } from '../../notify/email/mail-address.ts'
import { addAddress, type Address, listAddresses, makePrimary, MAX_ADDRESSES, removeAddress } from './addresses.ts'
import { sendConfirmation } from './send-confirmation.ts'
import type { FormError } from '../../web/refusal.ts'
import { emailPath } from '../paths.ts'

export const emailRoutes = new Hono<SiteEnv>()

emailRoutes.get('/email/', requireLogin, async (c) => {
  const expiredForm = await offerExpiredForm(c, emailPath)
  return show(c, noErrors, expiredForm?.has('action_add') ? textField(expiredForm, 'email') : '')
})
emailRoutes.post('/email/', requireLogin, recentlyAuthenticated(emailPath, manageEmail))

async function manageEmail(c: SiteContext): Promise<Response> {
  const { user } = loggedIn(c)
  const form = await formOf(c)
  const typed = textField(form, 'email')
  const retryAfter = await takeLimits(c, [['manageEmail', String(user.id)]])
  if (retryAfter !== null) return show(c, tooManyRequests(c, retryAfter), typed)
  if (form.has('action_add')) return add(c, typed)
  const addresses = await listAddresses(c.env, user.id)
  const chosen = addresses.find(({ address }) => address === typed)
  if (!chosen && typed !== '' && form.has('action_remove')) return isGone(c, typed)
  if (!chosen) return show(c, invalid({ message: 'Choose one of your email addresses.' }))
  if (form.has('action_primary')) return primary(c, chosen, addresses)
  if (form.has('action_send')) return send(c, chosen)
  if (form.has('action_remove')) return remove(c, chosen, addresses)
  return show(c, invalid({ message: 'Choose what to do.' }))
}

async function add(c: SiteContext, typed: string): Promise<Response> {
  const { user } = loggedIn(c)
  const address = typedAddress(typed)
  if (address === null) return show(c, invalid({ field: 'email', message: notAnAddress }), typed)
  const now = Date.now()
  if (!(await addAddress(c.env, ownerOf(c), address, now))) {
    const addresses = await listAddresses(c.env, user.id)
    const own = addresses.find((one) => one.address.toLowerCase() === address.toLowerCase())
    // A second press of the button: the browser may show only this answer.
    if (own?.verified_at === null && own.created_at > now - SECOND_PRESS_MS) return send(c, own)
    const message =
      addresses.length < MAX_ADDRESSES
        ? 'This email address is already associated with this account.'
        : `An account can have at most ${MAX_ADDRESSES} email addresses.`
    return show(c, invalid({ field: 'email', message }), typed)
  }
  await sendConfirmation(c, { userId: user.id, address })
  return c.redirect(emailPath, 303)
}

async function primary(c: SiteContext, chosen: Address, addresses: Address[]): Promise<Response> {
  const { user } = loggedIn(c)
  const former = addresses.find(({ is_primary }) => is_primary)
  if (former?.id === chosen.id) return c.redirect(emailPath, 303)
  const detail = former ? `It was ${former.address} and is ${chosen.address} now.` : ''
  const notice =
    former && former.verified_at !== null
      ? await prepareNotice(c, { kind: 'address_changed', userId: user.id, detail, to: former.address }, Date.now())
      : null
  if (!(await makePrimary(c.env, ownerOf(c), chosen.id, notice?.statements ?? []))) {
    return show(c, invalid({ message: 'Your primary email address must be verified.' }))
  }
  notice?.send()
  flash(c, 'success', 'Primary email address set.')
  return c.redirect(emailPath, 303)
}

async function send(c: SiteContext, { address, verified_at }: Address): Promise<Response> {
  if (verified_at !== null) flash(c, 'info', `${address} is verified already.`)
  else await sendConfirmation(c, { userId: loggedIn(c).user.id, address })
  return c.redirect(emailPath, 303)
}

async function remove(c: SiteContext, chosen: Address, addresses: Address[]): Promise<Response> {
  const { user } = loggedIn(c)
  const { address } = chosen
  if (chosen.is_primary) {
    return show(c, invalid({ message: `You cannot remove your primary email address (${address}).` }))
  }
  const detail = `Removed address: ${address}.`
  const isPrimaryVerified = addresses.some(({ is_primary, verified_at }) => is_primary && verified_at !== null)
  const to = !isPrimaryVerified && chosen.verified_at !== null ? { to: address } : {}
  const notice = await prepareNotice(c, { kind: 'address_removed', userId: user.id, detail, ...to }, Date.now())
  if (!(await removeAddress(c.env, ownerOf(c), chosen.id, notice.statements))) {
    if (!(await listAddresses(c.env, user.id)).some(({ id }) => id === chosen.id)) return isGone(c, address)
    return show(c, invalid({ message: `You cannot remove your only verified email address (${address}).` }))
  }
  notice.send()
  flash(c, 'success', `Removed email address ${address}.`)
  return c.redirect(emailPath, 303)
}

/** A second press of Remove is answered with what is true after the first, as the browser may show only this answer. */
function isGone(c: SiteContext, address: string): Response {
  flash(c, 'info', `${address} is not one of your email addresses.`)
  return c.redirect(emailPath, 303)
}

/** @param typed what was typed into the field of a new address */
async function show(c: SiteContext, { errors, status } = noErrors, typed = ''): Promise<Response> {
  const addresses = await listAddresses(c.env, loggedIn(c).user.id)
  return showPage(c, {
    page: 'EmailAddresses',
    title: 'Email addresses',
    status,
    errors,
    body: <ManageEmailPage context={contextOf(c)} addresses={addresses} typed={typed} errors={errors} />,
  })
}

interface ManageEmailPageProps {
  context: PageContext
  addresses: readonly Address[]
  typed: string
  errors: readonly FormError[]
}

/** A user's addresses: one form chooses an address and what to do with it, another adds one. */
function ManageEmailPage({ context, addresses, typed, errors }: ManageEmailPageProps) {
  return (
    <AccountPage title="Email addresses">
      <FormErrorSummary errors={errors} />
      {addresses.length === 0 ? (
        <p className="strong">
          Warning: you have no email address. Add one so that you can receive emails and reset your password.
        </p>
      ) : (
        <ChooseForm context={context} addresses={addresses} />
      )}
      <PostForm context={context} className="card card-body stack" action={emailPath}>
        <h2>Add email address</h2>
        <TextInput name="email" label="Email address" type="email" autoComplete="email" value={typed} errors={errors} />
        <div>
          <Button kind="primary" type="submit" name="action_add" value="1">
            Add email
          </Button>
        </div>
      </PostForm>
    </AccountPage>
  )
}

function ChooseForm({ context, addresses }: { context: PageContext; addresses: readonly Address[] }) {
  const hasOthers = addresses.some(({ is_primary }) => !is_primary)
  const hasUnverified = addresses.some(({ verified_at }) => verified_at === null)
  return (
    <PostForm context={context} className="card card-body stack" action={emailPath}>
      <fieldset className="stack stack-small">
        <legend className="label">Your addresses</legend>
        {addresses.map(({ id, address, verified_at, is_primary }) => (
          <div className="check" key={id}>
            <input
              id={`address-${id}`}
              type="radio"
              name="email"
              value={address}
              defaultChecked={is_primary}
              required
            />
            <label className="row" htmlFor={`address-${id}`}>
              <span className="break">{address}</span>
              {verified_at === null ? <Badge tone="waitlisted">Unverified</Badge> : <Badge tone="done">Verified</Badge>}
              {is_primary ? <Badge tone="info">Primary</Badge> : null}
            </label>
          </div>
        ))}
      </fieldset>
      {(hasOthers || hasUnverified) && (
        <div className="row">
          {hasOthers && (
            <Button type="submit" name="action_primary" value="1">
              Make primary
            </Button>
          )}
          {hasUnverified && (
            <Button type="submit" name="action_send" value="1">
              Resend verification
            </Button>
          )}
          {hasOthers && (
            <Button kind="danger" type="submit" name="action_remove" value="1">
              Remove
            </Button>
          )}
        </div>
      )}
    </PostForm>
  )
}
