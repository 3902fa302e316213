import { renderToString } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { InviteEntry, InviteList } from '../../client/islands/classcords/invite-list.tsx'
import { barOf } from '../../client/components/navbar-places.ts'
import { Navbar } from '../../client/components/navbar.tsx'
import { newDraft } from '../../client/islands/classcords/submission.ts'
import { SubmitDetailsStep } from '../../client/islands/classcords/submit-details-step.tsx'
import { islandComponents } from '../../client/islands/server.ts'
import {
  course,
  directoryContext,
  discordUser,
  invite,
  manager,
  pendingInvite,
  privateLevel,
  referral,
  server,
  submission,
} from './classcords-samples.ts'
import { observedAt, onePage } from './samples.ts'

const Welcome = islandComponents['classcords/welcome']
const Explore = islandComponents['classcords/explore']
const Login = islandComponents['classcords/login']
const Profile = islandComponents['classcords/profile']
const Referrals = islandComponents['classcords/referrals']
const Notices = islandComponents['classcords/notices']
const ServerPage = islandComponents['classcords/server']
const UnapprovedInvites = islandComponents['classcords/unapproved-invites']

const anonymous = directoryContext(null)
const member = directoryContext(discordUser())
const managing = directoryContext(discordUser({ role_info: manager }))
const welcomeProps = { servers: [server()], pending_invites_count: 0, referral: null }
const exploreProps = {
  servers: [server()],
  server_count: 1,
  pagination: onePage,
  subject_id: null,
  course_id: null,
  q: '',
  is_search_active: false,
  school_id: null,
  sort: 'relevance' as const,
  pending_invites_count: 0,
  referral: null,
}
const form = { fields: [], hidden_fields: [], non_field_errors: [] }
const referralsProps = { referral_form: form, referrals: [referral()], pagination: onePage }
const profileProps = { show_school_modal: false, schools: [], submissions: [submission()] }
const reviewProps = { unapproved_invites: [pendingInvite()], pagination: onePage }
const count = (html: string, text: string) => html.split(text).length - 1
/** The text without tags. React separates neighboring texts with empty comments. */
const textOf = (html: string) => html.replace(/<!--.*?-->/g, '').replace(/<[^>]*>/g, '')

test('a course of a server leads to the other servers for it, also if two of its schools call a subject the same', () => {
  const context = { ...member, path: '/classcords/server/1/' }
  const linkOf = (subjects: { id: number; name: string }[]) => {
    const props = { server: server({ subjects }), invites: [], presence: null, uses: null, refused_report: null }
    const html = renderToString(<ServerPage props={props} context={context} />)
    return /<a[^>]*href="([^"]*)"[^>]*title="Other servers for this course"/.exec(html)?.[1]
  }
  const own = { id: 1, name: 'Mathematics' }
  expect(linkOf([own, { id: 2, name: 'Physics' }])).toBe('/classcords/all/?subject_id=1&amp;course_id=1')
  expect(linkOf([own, { id: 2, name: 'Mathematics' }])).toBe('/classcords/all/?course_id=1')
})

test.each([
  ['welcome', <Welcome key="" props={welcomeProps} context={anonymous} />],
  ['explore', <Explore key="" props={exploreProps} context={anonymous} />],
  ['login', <Login key="" props={{ referral: 'code' }} context={anonymous} />],
  ['profile', <Profile key="" props={profileProps} context={member} />],
  ['referrals', <Referrals key="" props={referralsProps} context={member} />],
  ['unapproved invites', <UnapprovedInvites key="" props={reviewProps} context={managing} />],
])('the %s island renders the same twice, without inline style, script, handler or open dialog', (_, page) => {
  const html = renderToString(page)
  expect(html).not.toMatch(/\sstyle=|<script|javascript:|\son[a-z]+=|<dialog/i)
  expect(renderToString(page)).toBe(html)
})

describe('welcome', () => {
  test('gives visitors a login with their referral and a prompt, and no invite button', () => {
    const html = renderToString(<Welcome props={{ ...welcomeProps, referral: 'c"ode' }} context={anonymous} />)
    expect(html).toContain('action="/accounts/discord/login/"')
    expect(html).toContain('<input type="hidden" name="referral" value="c&quot;ode"/>')
    expect(count(html, 'Explore All Class Servers')).toBe(2)
    expect(count(html, 'Login Required: Please log in to view more Discord servers for your classes')).toBe(2)
    expect(count(html, '<a href="/classcords/all/">See the public servers</a>')).toBe(2)
    expect(html).not.toContain('Add Discord Invite')
    expect(renderToString(<Welcome props={welcomeProps} context={anonymous} />)).not.toContain('name="referral"')
  })

  test('links all logged-in people to Explore twice; only a Discord account may add an invite', () => {
    for (const context of [member, directoryContext('no Discord account')]) {
      const html = renderToString(<Welcome props={welcomeProps} context={context} />)
      expect(count(html, 'href="/classcords/all/"')).toBe(2)
      expect(html).not.toContain('Login Required')
      expect(html.includes('Add Discord Invite')).toBe(context === member)
    }
  })

  test('counts no servers at a school: it has only the newest of them', () => {
    const html = renderToString(<Welcome props={welcomeProps} context={anonymous} />)
    const chips = /<ul[^>]*aria-label="Schools">(.*?)<\/ul>/s.exec(html)?.[1] ?? ''
    expect(textOf(chips)).toMatch(/^\D+$/)
  })

  test('shows the number of pending invites to managers only', () => {
    const waiting = textOf(
      renderToString(<Welcome props={{ ...welcomeProps, pending_invites_count: 3 }} context={managing} />),
    )
    expect(waiting).toContain('3 pending invite submission(s) awaiting approval')
    expect(waiting).toContain('Review Invites')
    expect(renderToString(<Welcome props={welcomeProps} context={managing} />)).not.toContain('Review Invites')
  })

  test('is grouped at first; placeholders cannot be pressed and are not counted', () => {
    const locked = server({ id: -1, display_name: 'Locked', privacy_level_info: privateLevel })
    const html = renderToString(
      <Welcome props={{ ...welcomeProps, servers: [server(), locked] }} context={anonymous} />,
    )
    expect(count(html, '<details')).toBe(2)
    expect(html).toContain('1 recently added<')
    expect(html).toMatch(/<a[^>]*href="\/classcords\/server\/1\/"[^>]*><bdi[^>]*>Calculus Crew/)
    expect(html).not.toMatch(/<(button|a)\b[^>]*>(<bdi[^>]*>)?Locked/)
    expect(html).toMatch(/<div class="locked-cards" aria-hidden="true">.*Locked/)
  })

  test('begins with a search and the schools, and has one login after the first servers', () => {
    const html = renderToString(<Welcome props={{ ...welcomeProps, servers: [server()] }} context={anonymous} />)
    const at = (text: string) => html.indexOf(text)
    expect(at('role="search"')).toBeGreaterThan(0)
    expect(at('role="search"')).toBeLessThan(at('<article'))
    expect(at('<article')).toBeLessThan(at('action="/accounts/discord/login/"'))
    expect(html).toContain(`href="/classcords/school/${server().schools[0]?.id}/"`)
  })

  test('a card first says what its server is for, and omits what is usual', () => {
    const html = textOf(
      renderToString(<Welcome props={{ ...welcomeProps, servers: [server()] }} context={anonymous} />),
    )
    expect(html.indexOf('MATH 2210')).toBeLessThan(html.indexOf('Calculus Crew'))
    expect(html).not.toContain('Public Server')
  })
})

describe('explore', () => {
  test('is one list at first, and its search is a form that works without a script', () => {
    const html = renderToString(<Explore props={{ ...exploreProps, subject_id: 4, sort: 'newest' }} context={member} />)
    expect(html).toMatch(/<input id="search-words"[^>]*maxLength="100"/)
    expect(html).not.toContain('<details')
    expect(html).toMatch(/<form[^>]*action="\/classcords\/all\/"/)
    expect(html).toContain('name="q"')
    expect(html).toContain('name="subject_id" value="4"')
    expect(html).toContain('name="sort" value="newest"')
    expect(html).toMatch(/<button type="submit" class="button only-plain">Search/)
  })

  test('says if a search shows only some servers, or none', () => {
    const truncated = { ...exploreProps, q: 'study', is_search_active: true, is_truncated: true as const }
    const found = renderToString(<Explore props={truncated} context={anonymous} />)
    expect(found).toContain('only some of them are shown')
    const byMembers = renderToString(<Explore props={{ ...truncated, sort: 'members' }} context={anonymous} />)
    expect(byMembers).toContain('some with more members may be missing')
    const none = renderToString(<Explore props={{ ...truncated, servers: [] }} context={anonymous} />)
    expect(none).toContain('too common')
    expect(none).not.toContain('Nothing listed matches')
    expect(renderToString(<Explore props={exploreProps} context={anonymous} />)).not.toContain(
      'only some of them are shown',
    )
  })

  test('asks only visitors to log in, with their referral', () => {
    const html = renderToString(<Explore props={{ ...exploreProps, referral: 'code' }} context={anonymous} />)
    expect(html).toContain('/classcords/login/?referral=code')
    expect(html).toContain('<input type="hidden" name="referral" value="code"/>')
    expect(renderToString(<Explore props={exploreProps} context={member} />)).not.toContain('/classcords/login/')
  })

  test('announces how many were found in the same words as its heading', () => {
    const status = (servers: ReturnType<typeof server>[]) => {
      const html = renderToString(
        <Explore props={{ ...exploreProps, servers, server_count: servers.length }} context={member} />,
      )
      return /role="status">([^<]*)</.exec(html)?.[1]
    }
    expect(status([server()])).toBe('1 server.')
    expect(status([server(), server({ id: 2 })])).toBe('2 servers.')
  })

  test('has a sentence for no results, and keeps the search on links to other pages', () => {
    expect(renderToString(<Explore props={{ ...exploreProps, servers: [] }} context={member} />)).toContain(
      'No Discord servers found',
    )
    const pagination = { ...onePage, total_pages: 2, has_next: true, next_page_number: 2 }
    const html = renderToString(<Explore props={{ ...exploreProps, q: 'x', pagination }} context={member} />)
    expect(html).toContain('href="?q=x&amp;page=2"')
    expect(renderToString(<Explore props={exploreProps} context={member} />)).not.toContain('aria-label="Pages"')
  })
})

test('a server without working invites says so', () => {
  const html = renderToString(<InviteList invites={[]} timeZone="UTC" />)
  expect(html).toContain('No invites available for this server.')
})

describe('an invite', () => {
  const render = (changes: Parameters<typeof invite>[0]) =>
    renderToString(<InviteEntry invite={invite(changes)} timeZone="UTC" onJoin={() => undefined} />)

  test('that is valid opens in a new tab without access to this one', () => {
    const html = render({ notes_html: '<p>Come <strong>in</strong></p>' })
    expect(html).toMatch(/<a href="\/classcords\/join\/\d+\/" target="_blank" rel="noopener noreferrer nofollow"/)
    expect(html).toContain('<p>Come <strong>in</strong></p>')
    expect(html).not.toContain('Invalid')
  })
  test('that is not valid has a badge and a disabled button', () => {
    const html = render({ is_valid: false })
    expect(html).toContain('Invalid')
    expect(html).toMatch(/<button disabled=""[^>]*>Join/)
    expect(html).not.toContain('<a ')
  })
})

describe('a review card', () => {
  const render = (changes: Parameters<typeof pendingInvite>[0]) =>
    renderToString(
      <UnapprovedInvites props={{ ...reviewProps, unapproved_invites: [pendingInvite(changes)] }} context={managing} />,
    )

  test('shows its notes as plain text', () => {
    expect(render({ notes_md: '**x** <b>y</b>' })).toContain('**x** &lt;b&gt;y&lt;/b&gt;')
  })
  test('of an invalid invite cannot be decided', () => {
    expect(count(render({}), 'disabled=""')).toBe(0)
    const html = render({ is_valid: false })
    expect(count(html, 'disabled=""')).toBe(2)
    expect(html).toContain('Invalid')
  })
  test('has a red badge for managers, a blue one for everyone else', () => {
    expect(render({ submitter: { display_name: 'Sam', role_info: manager, approved: 0, rejected: 0 } })).toContain(
      'tone-danger">Discord Manager',
    )
    expect(render({})).toContain('tone-info">Regular User')
  })
  test("has its server's picture at 48 by 48, or a placeholder", () => {
    const { discord_server: server } = pendingInvite()
    const html = render({ discord_server: { ...server, icon_url: 'https://cdn.example/icon.png' } })
    expect(html).toMatch(/<img[^>]*src="https:\/\/cdn.example\/icon.png"[^>]*width="48" height="48"/)
    expect(render({ discord_server: { ...server, icon_url: null, display_name: 'Zoology' } })).toMatch(
      /<span class="server-icon hue-\d" aria-hidden="true">Z</,
    )
  })
  test('says that its server was removed, which an approval does not undo', () => {
    const { discord_server: server } = pendingInvite()
    expect(render({})).not.toContain('does not list it again')
    expect(render({ discord_server: { ...server, is_active: false } })).toContain('does not list it again')
  })
  test('says if its approval would show a private server to everyone, or hide a public one', () => {
    const { discord_server: server } = pendingInvite()
    const isPublic = { ...server, privacy_level_info: { value: 'public' as const, label: 'Public Server' } }
    expect(render({})).not.toContain('The server is listed as')
    expect(render({ changes_privacy: true })).toContain('hides it from people outside its schools')
    expect(render({ changes_privacy: true, discord_server: isPublic })).toContain('shows it to everyone')
  })
  test('links to the invite in a new tab', () => {
    expect(render({ invite_url: 'https://discord.gg/zoo' })).toMatch(
      /<a href="https:\/\/discord.gg\/zoo" target="_blank" rel="noopener noreferrer"/,
    )
  })
  test('shows the number of members and earlier submissions', () => {
    const { submitter } = pendingInvite()
    expect(render({})).toContain('214 · 31 online')
    expect(render({ members: { total: 58, online: 0 } })).toMatch(/>58</)
    expect(render({})).toContain('4 approved, 0 rejected')
    expect(render({ submitter: { ...submitter, approved: 0 } })).toContain('First submission')
  })
  test('says whether its courses already have servers, and links to them', () => {
    const courses = [course(), course({ id: 7, level: '3100' })]
    expect(textOf(render({ courses }))).toContain('No other server is listed for MATH 2210, MATH 3100.')
    const html = render({ courses, other_servers: [{ course_id: 7, servers: 2 }] })
    expect(textOf(html)).toContain('Already listed: 2 for MATH 3100')
    expect(html).toContain('href="/classcords/all/?school_id=0&amp;course_id=7"')
    const subjects = [
      { name: 'Mathematics', found: '&amp;subject_id=5' },
      { name: 'Physics', found: '' },
    ]
    for (const { name, found } of subjects) {
      const ofSubject = render({ courses, subject: { id: 5, name }, other_servers: [{ course_id: 7, servers: 2 }] })
      expect(ofSubject).toContain(`href="/classcords/all/?school_id=0${found}&amp;course_id=7"`)
    }
    expect(textOf(render({}))).not.toMatch(/listed for|Listed already/)
  })
  test('has the one colored button if it is the first', () => {
    const two = [pendingInvite({ id: 1 }), pendingInvite({ id: 2 })]
    const html = renderToString(
      <UnapprovedInvites props={{ ...reviewProps, unapproved_invites: two }} context={managing} />,
    )
    expect(html.match(/button-primary"[^>]*id="approve-\d"|id="approve-\d"[^>]*button-primary"/g)).toHaveLength(1)
  })
  test('shows an expiry date only if there is one', () => {
    expect(render({})).not.toContain('Expires')
    expect(render({ expires_at: '2027-01-01T00:00:00Z' })).toContain('Expires')
  })
  test('is absent if nothing is pending', () => {
    const html = textOf(
      renderToString(<UnapprovedInvites props={{ ...reviewProps, unapproved_invites: [] }} context={managing} />),
    )
    expect(html).toContain('No Pending Invites')
    expect(html).toContain('All Discord invites have been reviewed and approved.')
  })
})

describe('referrals', () => {
  test('are created and revoked by plain forms; only revocable ones offer it', () => {
    const html = renderToString(<Referrals props={referralsProps} context={member} />)
    expect(html).toMatch(/<form[^>]*action="\/classcords\/referrals\/" method="post"/)
    expect(html).toContain('action="/classcords/referrals/1/revoke/"')
    const used = { ...referralsProps, referrals: [referral({ can_revoke: false })] }
    expect(renderToString(<Referrals props={used} context={member} />)).not.toContain('/revoke/')
  })
  test('are a table with these columns, or a sentence', () => {
    const html = renderToString(<Referrals props={referralsProps} context={member} />)
    const columns = [...html.matchAll(/<th scope="col">([^<]*)/g)].map((match) => match[1])
    expect(columns).toEqual(['Status', 'Uses', 'Created', 'Expires', 'Copy URL'])
    const none = renderToString(<Referrals props={{ ...referralsProps, referrals: [] }} context={member} />)
    expect(none).toContain('You haven&#x27;t created any referrals yet.')
  })
})

test('the navbar has links for Discord accounts, for managers with pending invites, and for superusers to the admin', () => {
  const labels = (context: typeof member) => {
    const { places, menu } = barOf({ path: '/classcords/', user: context.user })
    return [places, menu].map((some) => some.map(({ label }) => label))
  }
  expect(labels(anonymous)[0]).toEqual([])
  expect(labels(member)).toEqual([
    ['Explore All Servers', 'Referrals'],
    ['My Profile', 'Home'],
  ])
  expect(labels(managing)[0]).toEqual(['Explore All Servers', 'Referrals', 'Unapproved Invites'])
  expect(labels({ ...member, user: { ...member.user, is_superuser: true } })[1]).toEqual([
    'My Profile',
    'Home',
    'Admin',
  ])
})

test('the bell in the navbar is for Discord accounts, in the directory', () => {
  expect(barOf(member).notices).toBe('/classcords/notices/')
  expect(barOf(anonymous).notices).toBeNull()
  expect(barOf({ ...member, path: '/class_tracker/' }).notices).toBeNull()
  expect(renderToString(<Navbar context={member} />)).toContain('href="/classcords/notices/"')
})

describe('notices', () => {
  const text = { id: 1, title: 'It died', body: '<b>x</b>', url: '/classcords/', datetime_created: observedAt }
  const props = {
    notices: [{ ...text, is_read: false }],
    unread_count: 1,
    newest_at: text.datetime_created,
    pagination: onePage,
  }
  test('are plain text, with a button while unread', () => {
    const html = renderToString(<Notices props={props} context={member} />)
    expect(html).toContain('&lt;b&gt;x&lt;/b&gt;')
    expect(html).toContain('Mark all as read')
    const read = { ...props, notices: [{ ...text, is_read: true }], unread_count: 0 }
    expect(renderToString(<Notices props={read} context={member} />)).not.toContain('Mark ')
  })
})

describe('the profile', () => {
  test('offers to resubmit a refused submission, and to undo a decision to managers only', () => {
    const submissions = [submission({ state: 'rejected', can_resubmit: true, reason: 'Off topic' })]
    const html = renderToString(<Profile props={{ ...profileProps, submissions }} context={member} />)
    expect(html).toContain('Reason: Off topic')
    expect(html).toContain('Submit again')
    expect(html).not.toContain('Undo decision')
    expect(renderToString(<Profile props={{ ...profileProps, submissions }} context={managing} />)).toContain(
      'Undo decision',
    )
  })
  test('names what it knows in sentence case', () => {
    const html = renderToString(<Profile props={profileProps} context={member} />)
    for (const label of ['Login count', 'Member since', 'Email verified', 'First login', 'Last login'])
      expect(html).toContain(`>${label}<`)
  })
  test('logs out by a form', () => {
    const html = renderToString(<Profile props={profileProps} context={member} />)
    expect(html).toContain('<form action="/accounts/logout/?next=/classcords/" method="post">')
  })
})

test('only a server that is not listed yet is called new in the directory', () => {
  const detailsOf = (is_new_server: boolean) => {
    const guild_info = { id: '900', name: 'Crew', icon_url: null }
    const looked = { guild_info, existing_server_info: null, is_new_server, available_schools: [] }
    return renderToString(
      <SubmitDetailsStep looked={looked} draft={newDraft()} isTried={false} onChange={() => undefined} />,
    )
  }
  expect(textOf(detailsOf(true))).toContain('New in the directory. Which classes is it for?')
  expect(detailsOf(false)).not.toContain('New in the directory')
})
