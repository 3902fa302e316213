import { Hono } from 'hono'
import { flash } from '../../web/session/flash.ts'
import { showIsland } from '../../web/page/island.tsx'
import { offerExpiredForm } from '../../web/session/expired-form.ts'
import { showPage } from '../../web/page/page.tsx'
import { formOf, pathId, queryPage, textField } from '../../web/parse.ts'
import { limitReads } from '../../web/limits/limits.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { directoryLoginPath, membersOnly, welcomePath } from '../access.ts'
import { requireMember, viewerOf } from '../viewer.ts'
import { isReferralValid } from './admit.ts'
import { rememberReferral } from './remembered-referral.ts'
import { createReferral, listReferrals, ownReferralAddress, revokeReferral } from './own-referrals.ts'
import { referralForm, type SentForm } from './referral-form.ts'
import { QrImage } from '../../accounts/two-factor/qr-image.tsx'

const referralsPath = '/classcords/referrals/'

/** The member's referrals, and the link for people who receive one. */
export const referralRoutes = new Hono<SiteEnv>()

referralRoutes.get('/referrals/', membersOnly, async (c) => {
  const expiredForm = await offerExpiredForm(c, referralsPath)
  return showReferrals(c, expiredForm ? { values: valuesIn(expiredForm) } : {})
})

referralRoutes.post('/referrals/', membersOnly, async (c) => {
  const values = valuesIn(await formOf(c))
  const errors = await createReferral(c.env.DB, requireMember(c), values, Date.now())
  if (errors) return showReferrals(c, { values, ...errors }, 422)
  flash(c, 'success', 'Referral created successfully!')
  return c.redirect(referralsPath, 303)
})

referralRoutes.post('/referrals/:referral_id/revoke/', membersOnly, async (c) => {
  await revokeReferral(c.env.DB, requireMember(c), pathId(c, 'referral_id'), Date.now())
  flash(c, 'success', 'Referral revoked.')
  return c.redirect(referralsPath, 303)
})

referralRoutes.get('/referrals/:referral_id/qr/', membersOnly, async (c) => {
  const wanted = { referralId: pathId(c, 'referral_id'), now: Date.now() }
  const url = await ownReferralAddress(c.env, requireMember(c).discordUserId, wanted)
  const body = <ReferralQrPage url={url} />
  return showPage(c, { page: 'ReferralQr', title: 'Referral as a QR code', props: { url }, body })
})

referralRoutes.get('/referral/:referral_code/', limitReads, async (c) => {
  if (viewerOf(c).discordUser) {
    flash(c, 'info', 'You are already logged in')
    return c.redirect(welcomePath, 302)
  }
  const code = c.req.param('referral_code')
  if (!(await isReferralValid(c.env.DB, code, Date.now()))) {
    flash(c, 'error', 'Invalid referral code.')
    return c.redirect(directoryLoginPath, 302)
  }
  rememberReferral(c, code)
  flash(c, 'info', 'You may now log in via Discord')
  return c.redirect(`${directoryLoginPath}?${new URLSearchParams({ referral: code })}`, 302)
})

const valuesIn = (form: FormData) => ({
  max_uses_choice: textField(form, 'max_uses_choice'),
  expiry_timeframe: textField(form, 'expiry_timeframe'),
})

async function showReferrals(c: SiteContext, sent: SentForm, status: 200 | 422 = 200): Promise<Response> {
  const { discordUserId, isManager } = requireMember(c)
  const form = referralForm(isManager, sent)
  const props = await listReferrals(c.env, discordUserId, { page: queryPage(c), form, now: Date.now() })
  const errors = [...form.non_field_errors, ...form.fields.map(({ error }) => error)]
    .filter((message) => message !== '')
    .map((message) => ({ message }))
  return showIsland(c, 'classcords/referrals', {
    page: 'Referrals',
    title: 'Referral Management',
    props,
    status,
    errors,
  })
}

/** A referral to be scanned from a screen or a sheet of paper. Needs no script. */
function ReferralQrPage({ url }: { url: string }) {
  return (
    <div className="narrow stack">
      <h1>Referral as a QR code</h1>
      <p>Anyone who scans it can sign up. Show it on your screen, or print this page.</p>
      <QrImage text={url} label="QR code of your referral" />
      <p className="address small">{url}</p>
      <p>
        <a href="/classcords/referrals/">All your referrals</a>
      </p>
    </div>
  )
}
