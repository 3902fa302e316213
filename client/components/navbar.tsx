import { PostForm } from './post-form.tsx'
import type { PageContext } from '../../src/web/contract.ts'
import { BrandMark } from './brand-mark.tsx'
import { LinkButton } from './button.tsx'
import { Drawing, Icon } from './icon.tsx'
import { type Bar, barOf, currentPlace, paletteAddress, type Place } from './navbar-places.ts'
import { hueOf, initialOf } from './hue.ts'

/** Not an icon of islands, so browsers do not have to load it. */
const menuLines = 'M3 6h14M3 10h14M3 14h14'

function Links({ places, current }: { places: readonly Place[]; current: Place | null }) {
  return places.map((place) => (
    <a key={place.href} href={place.href} aria-current={place === current ? 'page' : undefined}>
      {place.label}
    </a>
  ))
}

/** The account's menu; on a phone the only menu, including the links of the bar above. */
function ProfileMenu({ context, bar, current }: { context: PageContext; bar: Bar; current: Place | null }) {
  const { name } = context.user
  return (
    <>
      <button type="button" className="button button-quiet navbar-profile" popoverTarget="profile-menu">
        <span className={`initial ${hueOf(name)}`} aria-hidden="true">
          {initialOf(name)}
        </span>
        <span className="hidden-visually">
          <span className="only-phone">Menu, </span>Account of {name}
        </span>
        <bdi className="clip" aria-hidden="true">
          {name}
        </bdi>
        <Drawing path={menuLines} size={20} />
        <Icon name="down" size={16} />
      </button>
      <div id="profile-menu" className="menu" popover="auto">
        {bar.places.length > 0 && (
          <nav className="only-phone" aria-label="Main">
            <Links places={bar.places} current={current} />
            <hr className="menu-line" />
          </nav>
        )}
        <p className="tiny muted menu-name">Logged in as {name}</p>
        {/* On a phone, links that are in the bar already are left out. */}
        {bar.menu.map((place) => (
          <a
            key={place.href}
            href={place.href}
            className={bar.places.some(({ href }) => href === place.href) ? 'only-desk' : undefined}
          >
            {place.label}
          </a>
        ))}
        <hr className="menu-line" />
        <PostForm context={context} action={bar.logOut}>
          <button type="submit">Log Out</button>
        </PostForm>
      </div>
    </>
  )
}

function Brand({ section, isDirectory }: { section: Place | null; isDirectory: boolean }) {
  return (
    <div className={section ? 'brands has-section' : 'brands'}>
      <a className="brand" href={isDirectory ? '/classcords/' : '/'}>
        <BrandMark />
        <span className="brand-name">Class Cords</span>
        {!isDirectory && <span className="hidden-visually"> home</span>}
      </a>
      {section && (
        <a className="section-name" href={section.href}>
          {section.label}
        </a>
      )}
    </div>
  )
}

/** The bar at the top of every page. Needs no script: its menus are popovers and Log Out is a form. */
export function Navbar({ context }: { context: PageContext }) {
  const bar = barOf(context)
  const current = currentPlace(bar.places, context.path)
  return (
    <header className="navbar">
      <div className="navbar-inner">
        <Brand section={bar.section} isDirectory={bar.isDirectory} />
        {bar.places.length > 0 && (
          <nav className="places" aria-label="Main">
            <Links places={bar.places} current={current} />
          </nav>
        )}
        {paletteAddress(context) !== null && (
          <button type="button" className="button button-quiet jump" data-opens="palette" hidden>
            <Icon name="search" size={16} />
            <span className="jump-name">Search or jump to</span>
            <kbd className="only-desk" aria-hidden="true">
              ⌘K
            </kbd>
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
          <ProfileMenu context={context} bar={bar} current={current} />
        ) : (
          bar.logIn !== null && (
            <span className="log-in">
              <LinkButton href={bar.logIn}>Log In</LinkButton>
            </span>
          )
        )}
      </div>
    </header>
  )
}
