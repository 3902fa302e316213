import { logIn, type PageLink } from '../pages/form-page.tsx'
import { Hono } from 'hono'
import { dropCookie, readCookie, writeCookie } from '../../web/security/cookies.ts'
import { emptyForm } from '../../web/edge/edge-cache.ts'
import { contextOf, showPage } from '../../web/page/page.tsx'
import { formOf, textField } from '../../web/parse.ts'
import { limitReads } from '../../web/limits/limits.ts'
import { upstreamError, tooMany } from '../../web/refusal.ts'
import { randomToken } from '../../web/security/signing.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { byAddress, takeLimits } from '../account-limits.ts'
import { safeNext, withNext } from '../next.ts'
import { showNotice } from '../pages/show-form.tsx'
import { recentlyAuthenticated } from '../reauthenticate/recently-authenticated.ts'
import type { Admit } from './admission.ts'
import { answerCallback, successPage, takeReturned } from './callback.ts'
import { authorizationAddress, DiscordFailure, isConfigured } from './discord-api.ts'
import { startOAuth, type OAuthRequest, processes, verifierOf, AWAY_SECONDS } from './oauth-state.ts'
import { connectionRoutes } from './connection-routes.tsx'
import { ContinuePage } from './continue-page.tsx'
import { discordSignUpRoutes } from './sign-up-routes.tsx'
import { connectionsPath, loginPath, discordLoginPath } from '../paths.ts'

const MAX_REFERRAL_LENGTH = 100
const canceledPage = '/accounts/3rdparty/login/cancelled/'

/** Discord accounts: logging in, the last step of signing up, and connections. @param admit who may have an account */
export function discordRoutes(admit: Admit): Hono<SiteEnv> {
  const routes = new Hono<SiteEnv>()
  for (const part of [connectionRoutes, discordSignUpRoutes]) routes.route('/', part)

  routes.get('/discord/login/', emptyForm, async (c) => {
    const request = requestOf(c, (name) => c.req.query(name) ?? '')
    const elsewhere = redirectInstead(c, request)
    if (elsewhere !== null) return c.redirect(elsewhere, 302)
    return showPage(c, {
      page: 'DiscordLogin',
      title: 'Continue with Discord',
      body: <ContinuePage context={contextOf(c)} request={request} />,
    })
  })

  const goToDiscordWhenFresh = recentlyAuthenticated(discordLoginPath, goToDiscord)
  routes.post('/discord/login/', async (c, next) => {
    const request = await postedRequest(c)
    const elsewhere = redirectInstead(c, request)
    if (elsewhere !== null) return c.redirect(elsewhere, 303)
    return request.process === 'connect' ? goToDiscordWhenFresh(c, next) : goToDiscord(c)
  })

  routes.get('/discord/login/callback/', limitReads, async (c) => {
    const request = await takeReturned(c)
    if (c.req.query('error') === 'access_denied') return c.redirect(withRequest(canceledPage, request), 302)
    try {
      const to = await answerCallback(c, request, admit)
      dropCookie(c, 'referral')
      return typeof to === 'string' ? c.redirect(to, 302) : to
    } catch (error) {
      if (!(error instanceof DiscordFailure)) throw error
      console.warn({ event: 'discord_login_failed', id: c.get('requestId'), error: error.message })
      return showFailure(c, request)
    }
  })

  routes.get('/3rdparty/login/error/', (c) => showFailure(c, null))

  routes.get('/3rdparty/login/cancelled/', (c) =>
    showNotice(c, {
      page: 'LoginCancelled',
      title: 'Login Cancelled',
      text: (
        <p>
          You decided to cancel logging in to our site using one of your existing accounts. If this was a mistake,
          please proceed to sign in.
        </p>
      ),
      links: linksFor(
        c,
        requestOf(c, (name) => c.req.query(name) ?? ''),
      ),
    }),
  )

  return routes
}

function requestOf(c: SiteContext, field: (name: string) => string): OAuthRequest {
  return {
    process: processes.find((process) => process === field('process')) ?? 'login',
    next: safeNext(field('next')) ?? '',
    // From the form, else from the invitation link this browser opened.
    referral: (field('referral').trim() || (readCookie(c, 'referral') ?? '')).slice(0, MAX_REFERRAL_LENGTH),
    userId: c.get('user')?.id ?? null,
  }
}

async function postedRequest(c: SiteContext): Promise<OAuthRequest> {
  const form = await formOf(c)
  return requestOf(c, (name) => textField(form, name))
}

/** For requests that make no sense: a logged-in user cannot log in, and a visitor cannot connect an account. */
function redirectInstead(c: SiteContext, { process, next, referral }: OAuthRequest): string | null {
  const user = c.get('user')
  if (process === 'login') {
    if (!user) return null
    if (user.discord_user) return next || connectionsPath
    const invitation = referral === '' ? {} : { referral }
    const asked = new URLSearchParams({ process: 'connect', next: next || successPage, ...invitation })
    return `${discordLoginPath}?${asked}`
  }
  return user ? null : withNext(loginPath, next || connectionsPath)
}

async function goToDiscord(c: SiteContext): Promise<Response> {
  const request = await postedRequest(c)
  if (!isConfigured(c.env)) throw upstreamError(502, 'Logging in with Discord is not set up here.')
  const retryAfter = await takeLimits(c, [byAddress(c, 'discord')])
  if (retryAfter !== null) throw tooMany(retryAfter)
  const browser = readCookie(c, 'oauth') ?? randomToken()
  writeCookie(c, 'oauth', browser, AWAY_SECONDS)
  const state = await startOAuth(c.env, browser, request, Date.now())
  // Logging in does not ask for consent again; connecting and confirming show which account it is.
  const prompt = request.process === 'login' ? 'none' : 'consent'
  return c.redirect(authorizationAddress(c.env, { state, verifier: await verifierOf(c.env, state), prompt }), 303)
}

function showFailure(c: SiteContext, request: OAuthRequest | null): Promise<Response> {
  return showNotice(c, {
    page: 'LoginError',
    title: 'Third-Party Login Failure',
    status: 401,
    error: 'An error occurred while attempting to login via your third-party account.',
    links: linksFor(c, request),
  })
}

/** What a person can do after Discord did not confirm them; a second try is for the same request. */
function linksFor(c: SiteContext, request: OAuthRequest | null): PageLink[] {
  const again = { href: withRequest(discordLoginPath, request), label: 'Try Discord again' }
  if (!c.get('user')) return [{ ...logIn, href: withNext(loginPath, request?.next ?? '') }, again]
  const connections = { href: connectionsPath, label: 'Account connections' }
  return request === null || request.process === 'login' ? [connections] : [again, connections]
}

/** The address of a page that reads a request from its query; the usual values are left out. */
function withRequest(page: string, request: OAuthRequest | null): string {
  const { process = 'login', next = '', referral = '' } = request ?? {}
  const query = new URLSearchParams({
    ...(process !== 'login' && { process }),
    ...(next !== '' && { next }),
    ...(referral !== '' && { referral }),
  })
  return query.size === 0 ? page : `${page}?${query}`
}
