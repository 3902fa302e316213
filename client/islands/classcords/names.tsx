import type { DiscordServer } from '../../../src/classcords/contract.ts'
import { schoolNameParts } from '../../components/school-name.ts'
import { Marked } from './marked.tsx'
import { serverNameParts } from './server-names.ts'

/**
 * A server's name without its school, which stands beside it; the full name is read out, searchable and shown on hover.
 */
export function ServerName({ server, words = '' }: { server: DiscordServer; words?: string }) {
  const { said, shown } = serverNameParts(server)
  return (
    <bdi className="lines-2" title={said === '' ? undefined : server.display_name}>
      {said !== '' && (
        <span className="hidden-visually">
          <Marked text={said} words={words} />
        </span>
      )}
      <Marked text={shown} words={words} />
    </bdi>
  )
}

/** A school's common short name; the full name is read out. */
export function SchoolName({ name }: { name: string }) {
  const { said, shown } = schoolNameParts(name)
  return (
    <bdi title={said === '' ? undefined : name}>
      {shown}
      {said !== '' && <span className="hidden-visually">{said}</span>}
    </bdi>
  )
}
