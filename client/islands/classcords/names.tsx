import type { DiscordServer } from '../../../src/classcords/contract.ts'
import { Marked } from './marked.tsx'
import { schoolNameParts, serverNameParts } from './server-names.ts'

/** A server's name without its school, which stands beside it; read out, found and on hover it is whole. */
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

/** A school as its students say it; read out it is whole. */
export function SchoolName({ name }: { name: string }) {
  const { said, shown } = schoolNameParts(name)
  return (
    <bdi title={said === '' ? undefined : name}>
      {shown}
      {said !== '' && <span className="hidden-visually">{said}</span>}
    </bdi>
  )
}
