import type { DiscordServer } from '../../../src/classcords/contract.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { ShareButton } from '../../components/share-button.tsx'
import { serverHref } from './server-text.ts'

/** Ways to share a server's own page, which is the same for everybody; nothing for a private one. */
export function ShareServer({ server }: { server: DiscordServer }) {
  if (server.privacy_level_info.value === 'private') return null
  const { href } = new URL(serverHref(server), location.href)
  return (
    <>
      <ShareButton url={href} title={server.display_name} />
      <CopyButton text={href} label="Copy link" subject={`to ${server.display_name}`} />
    </>
  )
}
