import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { Button } from '../../../client/components/button.tsx'
import { logInHref } from '../../../client/components/log-in-href.ts'
import { PostForm } from '../../../client/components/post-form.tsx'
import { SearchBox } from '../../../client/components/search-box.tsx'
import { refusalIn } from '../../db/query.ts'
import { counted } from '../../lib/text.ts'
import type { PageContext } from '../contract.ts'
import { DeadEndPage, MissingSeat, NotSetUpPage } from './error-pages.tsx'
import { contextOf, showPage } from './page.tsx'
import { loggedOut, notFound, Refusal, unauthorized } from '../refusal.ts'
import { logNotSetUp, NotSetUp, notSetUpBehind } from '../set-up.ts'
import type { SiteContext } from '../site.ts'
import { wantsJson } from '../wants-json.ts'
import type { MessageLink } from '../../lib/contract.ts'

const titles: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Log in required',
  403: 'Access Restricted',
  404: 'Page not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Too large',
  415: 'Wrong format',
  422: 'Not accepted',
  429: 'Too Many Requests',
  500: 'Something went wrong',
  502: 'Service unavailable',
  503: 'Not set up yet',
  504: 'Service unavailable',
}

/** Turns anything thrown into an answer: an array of sentences for a client that prefers JSON, otherwise a page. */
export async function answerError(error: Error, c: SiteContext): Promise<Response> {
  const notSetUp = await notSetUpBehind(error, c.env)
  if (notSetUp !== null) logNotSetUp(notSetUp)
  const refusal = notSetUp ?? refusalOf(error, c)
  for (const [name, value] of Object.entries(refusal.headers)) c.header(name, value)
  if (wantsJson(c)) return c.json(refusal.messages, refusal.status)
  return errorPage(c, refusal)
}

export async function answerNotFound(c: SiteContext): Promise<Response> {
  return answerError(notFound(), c)
}

function refusalOf(error: Error, c: SiteContext): Refusal {
  if (error instanceof Refusal) return error
  if (refusalIn(error) === loggedOut) {
    c.set('user', null)
    return unauthorized(loggedOut)
  }
  if (error instanceof HTTPException && error.status < 500) {
    return new Refusal(error.status as ContentfulStatusCode, [error.message || 'This request could not be understood.'])
  }
  const id = c.get('requestId')
  console.error({
    event: 'error',
    id,
    error: error.stack ?? String(error),
    cause: error.cause ? String(error.cause) : undefined,
  })
  return new Refusal(500, [`Something went wrong on our end. If it keeps happening, send us this ID: ${id}`])
}

function errorPage(c: SiteContext, refusal: Refusal): Promise<Response> {
  const { status, messages, nextStep, deadEnd } = refusal
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  const title = status === 403 && !isRead ? 'Forbidden' : (titles[status] ?? 'Something went wrong')
  const answer = { page: 'Error', title, props: { status, messages }, status }
  if (refusal instanceof NotSetUp)
    return showPage(c, { ...answer, body: <NotSetUpPage title={title} missing={refusal.missing} /> })
  if (deadEnd !== null)
    return showPage(c, { ...answer, title: deadEnd.title, body: <DeadEndPage {...deadEnd} messages={messages} /> })
  const back = backTo(c)
  const user = c.get('user')
  const context = contextOf(c)
  return showPage(c, {
    ...answer,
    body: (
      <section className="narrow stack single">
        <MissingSeat />
        <h1>{title}</h1>
        {messages.map((message) => (
          <p className="muted" key={message}>
            {message}
          </p>
        ))}
        {status === 404 && isPublic(context) ? (
          <div>
            <SearchBox referral={null} />
          </div>
        ) : null}
        {nextStep === null ? null : (
          <p>
            <a href={nextStep.href}>{nextStep.text}</a>
          </p>
        )}
        {status === 429 ? <p>{waitText(Number(refusal.headers['retry-after'] ?? 60))}</p> : null}
        {status === 403 && isRead && user ? <SwitchAccount context={context} /> : null}
        <p className="row">
          {status === 401 ? (
            <a href={logInHref(context.path, back ?? context.path)}>Log in</a>
          ) : back === null ? null : (
            <a href={back}>Go back and try again</a>
          )}
          {status === 429 && isRead ? <a href={c.req.url.slice(new URL(c.req.url).origin.length)}>Try again</a> : null}
          {nextSteps(context).map(({ href, text }) => (
            <a key={href} href={href}>
              {text}
            </a>
          ))}
          <a href="/">Home</a>
        </p>
      </section>
    ),
  })
}

/** Whether the address belongs to the directory. */
const isPublic = ({ path }: PageContext): boolean => !/^\/(?:accounts|admin|class_tracker|scheduler)\//.test(path)

/** "You can try again in 2 minutes." */
function waitText(seconds: number): string {
  const wait = seconds < 60 ? counted(seconds, 'second') : counted(Math.ceil(seconds / 60), 'minute')
  return `You can try again in ${wait}.`
}

/** The link that is most likely to help a person who reached a dead end. */
function nextSteps({ path, user }: PageContext): MessageLink[] {
  if (path.startsWith('/class_tracker/')) return [{ href: '/class_tracker/', text: 'Class Tracker' }]
  if (path.startsWith('/accounts/'))
    return [
      user.is_authenticated ? { href: '/accounts/', text: 'Account' } : { href: '/accounts/login/', text: 'Log in' },
    ]
  if (user.is_superuser && path.startsWith('/scheduler/')) return [{ href: '/scheduler/', text: 'Scheduler' }]
  if (user.is_superuser && path.startsWith('/admin/')) return [{ href: '/admin/', text: 'Admin' }]
  return [{ href: '/classcords/all/', text: 'Explore All Class Servers' }]
}

/** Who the person is logged in as, and how to switch accounts. */
function SwitchAccount({ context }: { context: PageContext }) {
  return (
    <PostForm context={context} className="row" action="/accounts/logout/">
      <input type="hidden" name="next" value={context.path} />
      <span>You are logged in as {context.user.name}.</span>
      <Button type="submit">Log Out</Button>
    </PostForm>
  )
}

/** The page that a refused form came from, if it is one of ours. A link to `//name` would lead to another site. */
function backTo(c: SiteContext): string | null {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return null
  const referer = URL.parse(c.req.header('referer') ?? '')
  const isOurs = referer?.origin === new URL(c.req.url).origin && !referer.pathname.startsWith('//')
  return isOurs ? referer.pathname + referer.search : null
}
