import type { PageContext } from '../../src/web/contract.ts'
import { LinkButton } from './button.tsx'
import { Icon } from './icon.tsx'
import { barOf, currentPlace } from './navbar-places.ts'

function BrandMark() {
  return (
    <svg className="brand-mark" width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="currentColor" opacity="0.16" />
      <path
        d="M10 7v11a3 3 0 0 0 3 3h6a3 3 0 0 0 3-3v-3M12 21v4M20 21v4"
        fill="none"
        stroke="currentColor"
        strokeWidth="3"
        strokeLinecap="round"
      />
      <circle cx="22" cy="9" r="3.5" fill="currentColor" />
    </svg>
  )
}

/** The hidden field every form carries. */
export function CsrfToken({ context }: { context: Pick<PageContext, 'csrf_token'> }) {
  return <input type="hidden" name="csrf_token" value={context.csrf_token} />
}

function ProfileMenu({ context }: { context: PageContext }) {
  const bar = barOf(context)
  const { name } = context.user
  return (
    <>
      <button type="button" className="button button-quiet navbar-profile" popoverTarget="profile-menu">
        <span className="initial" aria-hidden="true">
          {[...name.trim()][0]?.toUpperCase() ?? '?'}
        </span>
        <span className="hidden-visually">Account of {name}</span>
        <span className="clip" aria-hidden="true">
          {name}
        </span>
        <Icon name="down" size={16} />
      </button>
      <div id="profile-menu" className="menu" popover="auto">
        <p className="menu-name">Logged in as {name}</p>
        {bar.menu.map((place) => (
          <a key={place.href} href={place.href}>
            {place.label}
          </a>
        ))}
        <hr className="menu-line" />
        <form method="post" action={bar.logOut}>
          <CsrfToken context={context} />
          <button type="submit">Log Out</button>
        </form>
      </div>
    </>
  )
}

/** The bar on top of every page. Needs no script: its menus are popovers and Log Out is a form. */
export function Navbar({ context }: { context: PageContext }) {
  const bar = barOf(context)
  const current = currentPlace(bar.places, context.path)
  return (
    <header className="navbar">
      <div className="navbar-inner">
        <a className="brand" href={bar.brand.href}>
          <BrandMark />
          {bar.brand.label}
        </a>
        {bar.places.length > 0 && (
          <nav id="places" className="places" popover="auto" aria-label="Main">
            {bar.places.map((place) => (
              <a key={place.href} href={place.href} aria-current={place === current ? 'page' : undefined}>
                {place.label}
              </a>
            ))}
          </nav>
        )}
        {bar.places.length > 0 && (
          <button type="button" className="button button-quiet button-icon only-phone" popoverTarget="places">
            <Icon name="menu" />
            <span className="hidden-visually">Menu</span>
          </button>
        )}
        {bar.notices !== null && (
          <a className="button button-quiet bell" href={bar.notices}>
            <Icon name="bell" />
            <span className="hidden-visually">Notifications</span>
            <span id="unread-notices" className="badge tone-danger" hidden />
          </a>
        )}
        {context.user.is_authenticated ? (
          <ProfileMenu context={context} />
        ) : (
          <span className="push">
            <LinkButton href={bar.logIn}>Log In</LinkButton>
          </span>
        )}
      </div>
    </header>
  )
}
