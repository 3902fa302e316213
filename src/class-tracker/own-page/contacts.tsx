import { Badge } from '../../../client/components/badge.tsx'
import { Button } from '../../../client/components/button.tsx'
import { channelIcons } from '../../../client/components/channel-names.ts'
import { Icon } from '../../../client/components/icon.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import { textField } from '../../web/parse.ts'
import type { OwnContact } from './contract.ts'
import { ActForm, Choice, type OwnPageView, Part, sentBy } from './part.tsx'

/** A label before the address where the address alone is unclear. */
const kindNames: Readonly<Partial<Record<OwnContact['kind'], string>>> = {
  phone: 'Text: ',
  email: 'Email: ',
  push: 'Notifications: ',
}

/** The buttons that remove a device have a form of their own; in the main form, Enter would press the first of them. */
const removal = 'remove-device'

/** How the recipient is reached: each contact can be turned off. */
export function Contacts({ props, context, sent }: OwnPageView) {
  const filled = sentBy('contacts', sent)
  const isSmsAtOnce = filled ? textField(filled, 'sms') === 'at_once' : props.is_sms_at_once
  const hasDevice = props.contacts.some(({ kind }) => kind === 'push')
  const hasPhone = props.contacts.some(({ kind }) => kind === 'phone')
  return (
    <Part id="contacts" title="How we reach you">
      <ActForm act="contacts" context={context} button="Save">
        <fieldset className="stack stack-small">
          <legend className="hidden-visually">Where messages go</legend>
          {props.contacts.length === 0 && <p>We have no way to reach you yet.</p>}
          {props.contacts.map((contact) => (
            <OwnContactRow
              key={contact.id}
              contact={contact}
              isUsed={filled ? filled.getAll('use').includes(String(contact.id)) : contact.is_enabled}
            />
          ))}
        </fieldset>
        {hasDevice && hasPhone && (
          <fieldset className="stack stack-small">
            <legend className="label">Texts</legend>
            <Choice type="radio" name="sms" value="after" isChosen={!isSmsAtOnce}>
              Only when I haven’t seen the notification
            </Choice>
            <Choice type="radio" name="sms" value="at_once" isChosen={isSmsAtOnce}>
              Right away, with the notification
            </Choice>
          </fieldset>
        )}
        <Choice
          type="checkbox"
          name="is_reminded"
          value="on"
          isChosen={filled ? filled.has('is_reminded') : props.is_reminded}
        >
          Remind me while a seat stays open
        </Choice>
      </ActForm>
      {hasDevice && (
        <PostForm context={context} action={context.path} id={removal} hidden>
          <input type="hidden" name="act" value="contacts" />
        </PostForm>
      )}
    </Part>
  )
}

function OwnContactRow({ contact, isUsed }: { contact: OwnContact; isUsed: boolean }) {
  const { id, kind, address, opted_out, undeliverable } = contact
  return (
    <div className="own-contact">
      {/* A disabled box is not sent: without this, saving leaves a stopped contact as it is. */}
      {!opted_out && <input type="hidden" name="contact" value={id} />}
      <Choice type="checkbox" name="use" value={String(id)} isChosen={isUsed && !opted_out} isDisabled={opted_out}>
        <span className="own-contact-address">
          <Icon name={channelIcons[kind]} size={16} />
          <span>
            <span className={kind === 'phone' ? undefined : 'hidden-visually'}>{kindNames[kind]}</span>
            {address}
          </span>
        </span>
      </Choice>
      {opted_out && <Badge tone="neutral">stopped</Badge>}
      {undeliverable && <Badge tone="danger">not working</Badge>}
      {kind === 'push' && (
        <Button type="submit" form={removal} kind="quiet" icon="trash" iconOnly name="remove" value={id}>
          {`Remove ${address}`}
        </Button>
      )}
    </div>
  )
}
