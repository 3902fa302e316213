import { Hono } from 'hono'
import { write } from '../../db/query.ts'
import { contextOf, showPage } from '../../web/page/page.tsx'
import { formOf, textField } from '../../web/parse.ts'
import { unauthorized, type FormError } from '../../web/refusal.ts'
import { renewAuthentication, wasAuthenticatedAfter } from '../../web/session/session-records.ts'
import { signText, verifyText } from '../../web/security/signing.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { SECOND_PRESS_MS } from '../durations.ts'
import { clearLimit, takeLimits } from '../account-limits.ts'
import { ContinuePage } from '../discord/continue-page.tsx'
import { findUserById, type LoginUser } from '../find-user.ts'
import { limitKeyOf } from '../known-browser.ts'
import { safeNext } from '../next.ts'
import { FormPage, TextInput, yourAccount, type PageLink } from '../pages/form-page.tsx'
import { showNotice, invalid, noErrors, tooManyRequests } from '../pages/show-form.tsx'
import { requireLogin, loggedIn } from '../roles.ts'
import { isCorrectPassword } from '../log-in.ts'
import { hasTwoFactor, takeCode } from '../two-factor/second-factor.ts'
import { carryOutWaitingForm, pageAfter } from './recently-authenticated.ts'
import { logoutPath, discordLoginPath, accountPath, reauthenticatePath } from '../paths.ts'
import { CONFIRMED_MS } from '../owner.ts'

export const reauthenticateRoutes = new Hono<SiteEnv>()

/** What a user has to enter: the same as for logging in. */
interface RequiredProof {
  account: LoginUser
  hasCode: boolean
  /** Proof that they have just confirmed with Discord, which replaces the password; '' without it. */
  proof: string
}

reauthenticateRoutes.get('/reauthenticate/', requireLogin, async (c) =>
  show(c, safeNext(c.req.query('next')) ?? '', await requiredOf(c, c.req.query('proof') ?? '')),
)

reauthenticateRoutes.post('/reauthenticate/', requireLogin, async (c) => {
  const { user, session } = loggedIn(c)
  const form = await formOf(c)
  const next = safeNext(textField(form, 'next')) ?? ''
  const password = textField(form, 'password')
  const retryAfter = await takeLimits(c, [['reauthenticate', String(user.id)]])
  const required = await requiredOf(c, textField(form, 'proof'))
  if (retryAfter !== null) return show(c, next, required, tooManyRequests(c, retryAfter))
  if (required.proof === '' && !(await isCorrectPassword(required.account, password))) {
    return show(c, next, required, invalid({ field: 'password', message: 'Incorrect password.' }))
  }
  if (required.hasCode) {
    // As at the second step of a login, because codes are short enough to be guessed.
    const limitKey = await limitKeyOf(c, required.account)
    const codesRefused = await takeLimits(c, [['secondStepOf', limitKey]])
    if (codesRefused !== null) return show(c, next, required, tooManyRequests(c, codesRefused))
    const now = Date.now()
    // In one batch, so that a second press, whose answer may be the only one shown, finds either both or neither.
    const renewing = renewAuthentication(session.idHash, now)
    if ((await takeCode(c.env, user.id, textField(form, 'code'), now, [renewing])) === null) {
      if (await wasAuthenticatedAfter(c.env, session.idHash, now - SECOND_PRESS_MS)) return toPage(c, next)
      return show(c, next, required, invalid({ field: 'code', message: 'Incorrect code.' }))
    }
    await clearLimit(c, 'secondStepOf', limitKey)
  }
  return continueTo(c, next)
})

async function requiredOf(c: SiteContext, proof: string): Promise<RequiredProof> {
  const { user } = loggedIn(c)
  const [account, hasCode] = await Promise.all([findUserById(c.env, user.id), hasTwoFactor(c.env, user.id)])
  if (!account) throw unauthorized()
  return { account, hasCode, proof: hasCode && (await isProof(c, proof)) ? proof : '' }
}

/** Sealed for this session, and valid as long as a confirmation. */
const proofPurpose = 'reauthentication at Discord'

async function isProof(c: SiteContext, proof: string): Promise<boolean> {
  const [idHash, at] = ((await verifyText(c.env, proofPurpose, proof)) ?? '').split(' ')
  return idHash === loggedIn(c).session.idHash && Date.now() - Number(at) <= CONFIRMED_MS
}

/** Continues after a user confirmed with Discord: that replaces their password, but not their second factor. */
export async function continueFromDiscord(c: SiteContext, next: string): Promise<Response> {
  const { user, session } = loggedIn(c)
  if (!(await hasTwoFactor(c.env, user.id))) return continueTo(c, next)
  const proof = await signText(c.env, proofPurpose, `${session.idHash} ${Date.now()}`)
  return c.redirect(`${reauthenticatePath}?${new URLSearchParams({ next, proof })}`, 303)
}

/** Continues after a user has confirmed who they are: their waiting form is carried out, or they go to `next`. */
async function continueTo(c: SiteContext, next: string): Promise<Response> {
  const { session } = loggedIn(c)
  const now = Date.now()
  await write(c.env.DB, renewAuthentication(session.idHash, now))
  c.set('session', { ...session, authenticatedAt: now })
  return (await carryOutWaitingForm(c, next)) ?? toPage(c, next)
}

const toPage = (c: SiteContext, next: string): Response =>
  c.redirect(next === '' ? accountPath : pageAfter(c, next), 303)

const asked = (password: boolean, code: boolean): string =>
  [...(password ? ['your password'] : []), ...(code ? ['a code from your authenticator app'] : [])].join(' and ')

/** For a user who has forgotten their password. */
function discordLink(next: string): PageLink {
  const query = new URLSearchParams({ process: 'redirect', next })
  return { href: `${discordLoginPath}?${query}`, label: 'Confirm with Discord instead' }
}

function show(c: SiteContext, next: string, required: RequiredProof, { errors, status } = noErrors): Promise<Response> {
  const page = { page: 'Reauthenticate', title: 'Confirm access', status, errors }
  if (required.account.password_hash !== null || required.proof !== '')
    return showPage(c, { ...page, body: <ProofForm c={c} next={next} required={required} errors={errors} /> })
  if (c.get('user')?.discord_user) {
    const request = { process: 'redirect', next, referral: '' } as const
    return showPage(c, { ...page, body: <ContinuePage context={contextOf(c)} request={request} /> })
  }
  return showNotice(c, {
    page: 'Reauthenticate',
    title: 'Confirm access',
    status,
    error: 'Your account has no password. Log out and log in again to continue; then you have 5 minutes.',
    links: [{ href: logoutPath, label: 'Log out' }, yourAccount],
  })
}

interface ProofFormProps {
  c: SiteContext
  next: string
  required: RequiredProof
  errors: readonly FormError[]
}

/** Asks for the password, unless Discord has confirmed the user, and for a code if they have an authenticator app. */
function ProofForm({ c, next, required: { hasCode, proof }, errors }: ProofFormProps) {
  const { username } = loggedIn(c).user
  const isLinked = Boolean(c.get('user')?.discord_user)
  return (
    <FormPage
      context={contextOf(c)}
      title="Confirm access"
      lead={`To safeguard your account, please enter ${asked(proof === '', hasCode)}. Then you can continue where you left off.`}
      action={reauthenticatePath}
      submit="Confirm"
      errors={errors}
      next={next}
      links={[...(isLinked && proof === '' ? [discordLink(next)] : []), { href: accountPath, label: 'Cancel' }]}
    >
      <input type="text" name="username" autoComplete="username" defaultValue={username} hidden readOnly />
      {proof === '' ? (
        <TextInput name="password" label="Password" type="password" autoComplete="current-password" errors={errors} />
      ) : (
        <input type="hidden" name="proof" value={proof} />
      )}
      {hasCode ? (
        <TextInput
          name="code"
          label="Code"
          autoComplete="one-time-code"
          help="Six digits from your authenticator app, or a recovery code."
          errors={errors}
          maxLength={20}
        />
      ) : null}
    </FormPage>
  )
}
