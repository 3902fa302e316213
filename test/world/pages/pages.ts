import { text, type Answer, type Call, type Handler, type MaybePromise } from '../http.ts'
import type { World } from '../world.ts'
import { schoolPage, schoolsPage, setFromPage } from './catalog.ts'
import { page } from './layout.ts'
import { chatPage, letterPage, mailboxPage, requestsPage } from './letters.ts'
import { openLinkOnPhone, openNotification, turnOff } from './lock-screens.ts'
import { phonesPage, replyFromPhone } from './phones.ts'
import { SCRIPT, STYLE } from './style.ts'
import { breakFromPage, faultsPage, repairFromPage } from './switches.ts'

function asset(type: string, body: string): Answer {
  return { status: 200, headers: { 'content-type': `${type};charset=UTF-8` }, body }
}

/** The pages with which people use the world. */
export function pagesHandler(world: World): Handler {
  const routes: Record<string, (call: Call) => MaybePromise<Answer>> = {
    'GET /': (call) => phonesPage(world, call),
    'POST /phones/reply': (call) => replyFromPhone(world, call),
    'POST /phones/link': (call) => openLinkOnPhone(world, call),
    'POST /phones/open': (call) => openNotification(world, call),
    'POST /phones/off': (call) => turnOff(world, call),
    'GET /mailbox': (call) => mailboxPage(world, call),
    'GET /chat': (call) => chatPage(world, call),
    'GET /catalog': (call) => schoolsPage(world, call),
    'POST /catalog/set': (call) => setFromPage(world, call),
    'GET /faults': (call) => faultsPage(world, call),
    'POST /faults': (call) => breakFromPage(world, call),
    'POST /faults/clear': (call) => repairFromPage(world, call),
    'GET /requests': (call) => requestsPage(world, call),
    'GET /world.css': () => asset('text/css', STYLE),
    'GET /world.js': () => asset('text/javascript', SCRIPT),
  }
  return (call) => {
    // Another site's page must not press these buttons.
    if (call.method !== 'GET' && call.headers['sec-fetch-site'] === 'cross-site')
      return text('Not from another site.', 403)
    const path = call.path.length > 1 ? call.path.replace(/\/$/, '') : call.path
    const route = routes[`${call.method === 'HEAD' ? 'GET' : call.method} ${path}`]
    if (route) return route(call)
    const [, place, name] = path.match(/^\/(mailbox|catalog)\/([\w-]+)$/) ?? []
    if (call.method === 'GET' && name && place === 'mailbox') return letterPage(world, name)
    if (call.method === 'GET' && name && place === 'catalog') return schoolPage(world, call, name)
    return page(world, '', 'Nothing here', '<p><a href="/">To the phones</a></p>', null, 404)
  }
}
