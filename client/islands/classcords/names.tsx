import type { DiscordServer } from '../../../src/classcords/contract.ts'
import { schoolNameParts } from '../../components/school-name.ts'
import { Marked } from './marked.tsx'
import { serverNameParts } from './server-names.ts'

/**
 * A server's name without its school, which is shown beside it; the full name is read out, searchable and shown on hover.
 */
export function ServerName({ server, words = '' }: { server: DiscordServer; words?: string }) {
  const { hidden, shown } = serverNameParts(server)
  return (
    <bdi className="lines-2" title={hidden === '' ? undefined : server.display_name}>
      {hidden !== '' && (
        <span className="hidden-visually">
          <Marked text={hidden} words={words} />
        </span>
      )}
      <Marked text={shown} words={words} />
    </bdi>
  )
}

/** A school's common short name; the full name is read out. */
export function SchoolName({ name }: { name: string }) {
  const { hidden, shown } = schoolNameParts(name)
  return (
    <bdi title={hidden === '' ? undefined : name}>
      {shown}
      {hidden !== '' && <span className="hidden-visually">{hidden}</span>}
    </bdi>
  )
}
