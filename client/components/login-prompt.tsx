import { LinkButton } from './button.tsx'

interface LoginPromptProps {
  /** Unique on the page. */
  id: string
  label: string
  text: string
  logIn: string
  /** What is open to everybody. */
  instead: { href: string; label: string }
}

/**
 * A button for something that needs a sign-in: it opens a popover that says so. The browser opens the popover, so no
 * script is needed.
 */
export function LoginPrompt({ id, label, text, logIn, instead }: LoginPromptProps) {
  return (
    <>
      <button type="button" className="button" popoverTarget={id}>
        {label}
      </button>
      <div id={id} className="prompt" popover="auto" role="dialog" aria-label="Login Required">
        <p>{text}</p>
        <LinkButton kind="primary" href={logIn}>
          Log In
        </LinkButton>
        <a href={instead.href}>{instead.label}</a>
      </div>
    </>
  )
}
