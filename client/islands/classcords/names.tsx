import type { DiscordServer } from '../../../src/classcords/contract.ts'
import { schoolNameParts } from '../../components/school-name.ts'
import { serverNameParts } from './server-names.ts'

/** A text in which words that begin with a search term are marked. */
export function Marked({ text, words }: { text: string; words: string }) {
  const parts = words.match(/[\p{L}\p{N}]+/gu)
  if (parts === null) return text
  // Longest first: for "cal calc", the longer one is marked if both match.
  const wanted = parts.toSorted((one, other) => other.length - one.length).join('|')
  // Every second piece is a match of the pattern.
  const pieces = text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${wanted})`, 'giu'))
  return pieces.map((piece, at) => (at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece))
}

/** A server's name without its school, which is shown beside it; the full name is read out and searchable. */
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
