import { useEffect, useState, type ReactNode } from 'react'
import type { ProfileProps, Submission } from '../../../src/classcords/contract.ts'
import type { DiscordUser, PageContext } from '../../../src/web/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Facts } from '../../components/facts.tsx'
import { PostForm } from '../../components/post-form.tsx'
import { hueOf } from '../../components/hue.ts'
import { NeedsScript } from '../../components/needs-script.tsx'
import { ServerIcon } from '../../components/server-icon.tsx'
import { AbsoluteTime } from '../../components/relative-time.tsx'
import { dayKey, dayText } from '../../components/time-text.ts'
import { failed, Toasts, useToasts, type Toast } from '../../components/toasts.tsx'
import { useConfirmation, useLazyDialog } from '../../components/use-lazy-dialog.tsx'
import { CallError } from '#in-browser/errors.ts'
import type { IslandProps } from '../index.ts'
import { countText } from '../../components/count-text.ts'
import { calls } from '#in-browser/islands/classcords/calls.ts'
import { SubmissionList } from './submission-list.tsx'
import { draftOf, newDraft } from './submission.ts'
import { useDialogs } from './use-dialogs.tsx'

const managerRole = 'manager'
const loadSchoolDialog = async () => (await import('#in-browser/islands/classcords/school-dialog.tsx')).SchoolDialog

/** "maya#1234"; newer Discord names have no discriminator, or "0". */
export function userTag({ username, discriminator }: Pick<DiscordUser, 'username' | 'discriminator'>): string {
  return /^0*$/.test(discriminator) ? username : `${username}#${discriminator}`
}

const factsOf = (person: DiscordUser, timeZone: string): [name: string, value: ReactNode][] => {
  const moment = (at: string) => <AbsoluteTime at={at} timeZone={timeZone} />
  return [
    ['Login count', countText(person.login_count)],
    ['Member since', dayText(dayKey(person.first_login, timeZone), null)],
    ['Discord ID', person.discord_id],
    ['Email verified', person.is_verified ? 'Yes' : 'No'],
    ['First login', moment(person.first_login)],
    ['Last login', moment(person.last_login)],
  ]
}

function ProfileCard({ person, onChangeSchool }: { person: DiscordUser; onChangeSchool: () => void }) {
  return (
    <section className="card card-body profile-card" aria-label="Discord account">
      <div className={`server-banner ${hueOf(person.display_name)}`}>
        <div className="band" />
        <div className="server-banner-head">
          <ServerIcon name={person.display_name} url={person.avatar_url} round />
        </div>
      </div>
      <div className="row">
        <h2>
          <bdi>{person.display_name}</bdi>
        </h2>
        <Badge tone={person.role_info.value === managerRole ? 'danger' : 'info'}>{person.role_info.label}</Badge>
        {person.is_verified ? <Badge tone="done">Verified</Badge> : <Badge tone="waitlisted">Not verified</Badge>}
      </div>
      <p className="muted small">
        <bdi>{userTag(person)}</bdi>
      </p>
      <p className="profile-school">
        <span className="muted">School</span> <bdi>{person.school?.name ?? 'Not selected'}</bdi>{' '}
        <button type="button" className="link-button" onClick={onChangeSchool}>
          {person.school ? 'Change' : 'Select'}
          <span className="hidden-visually"> your school</span>
        </button>
      </p>
    </section>
  )
}

/** Withdraws a pending submission or undoes a decision, and reloads the page. `busy`: the id of the submission. */
function useTakeBack(say: (toast: Toast) => void) {
  const [busy, setBusy] = useState<number | null>(null)
  async function takeBack(submission: Submission): Promise<void> {
    setBusy(submission.id)
    try {
      await (submission.state === 'pending'
        ? calls.withdraw(submission.id)
        : calls.undo(submission.id, submission.state))
      location.reload()
    } catch (error) {
      // It was already withdrawn in another tab.
      if (submission.state === 'pending' && error instanceof CallError && error.status === 404) return location.reload()
      say(failed(error))
      setBusy(null)
    }
  }

  return { busy, takeBack }
}

function Account({ person, context }: { person: DiscordUser; context: PageContext }) {
  return (
    <section className="card card-body stack" aria-labelledby="account">
      <h2 id="account">Account</h2>
      <Facts facts={factsOf(person, context.time_zone)} className="small" />
      <PostForm context={context} action="/accounts/logout/?next=/classcords/">
        <Button type="submit">Sign Out</Button>
      </PostForm>
    </section>
  )
}

export function Island({ props, context }: IslandProps<ProfileProps>) {
  const person = context.user.discord_user
  const { toasts, say, dismiss } = useToasts()
  const { show, dialog: invite } = useDialogs(context)
  const { busy, takeBack } = useTakeBack(say)
  const { show: ask, close, dialog: question } = useConfirmation()
  const { schools, show_school_modal: mustChoose } = props
  const { show: showSchools, dialog: ownSchool } = useLazyDialog(loadSchoolDialog, (_isOpen: true, onClose) => {
    return { schools, school: person?.school ?? null, onClose: mustChoose ? null : onClose }
  })
  useEffect(() => {
    if (mustChoose) showSchools(true)
  }, [mustChoose, showSchools])
  if (!person) return null

  return (
    <div className="stack stack-large">
      <NeedsScript act="Selecting a school" />
      <h1>My Profile</h1>
      <ProfileCard person={person} onChangeSchool={() => showSchools(true)} />
      <section className="card" aria-labelledby="submissions">
        <div className="card-head">
          <h2 id="submissions">Your submissions</h2>
        </div>
        <SubmissionList
          submissions={props.submissions}
          timeZone={context.time_zone}
          canUndo={person.role_info.value === managerRole}
          busy={busy}
          onUndo={(submission) => void takeBack(submission)}
          onEdit={(submission) => show({ dialog: 'submit', draft: draftOf(submission) })}
          onWithdraw={(submission) =>
            ask({
              title: 'Withdraw this invite?',
              children: `${submission.discord_server.display_name} leaves the review queue. You may submit it again later.`,
              confirmLabel: 'Withdraw',
              danger: true,
              async onConfirm() {
                close()
                await takeBack(submission)
              },
            })
          }
          onResubmit={({ invite_url: url, notes_md: notes }) => show({ dialog: 'submit', draft: newDraft(url, notes) })}
        />
      </section>
      <Account person={person} context={context} />
      {ownSchool}
      {question}
      {invite}
      <Toasts toasts={toasts} onDismiss={dismiss} />
    </div>
  )
}
