import { TRUSTED_GUILD_ID } from './guilds.ts'

/** A person with a Discord account, who can be selected on the authorize page. */
export interface Persona {
  name: string
  /** What is special about them, for a person choosing. */
  about: string
  id: string
  username: string
  displayName: string
  discriminator: string
  email: string | null
  verified: boolean
  avatar: string | null
  guildIds: readonly string[]
}

const BOARD_GAMES = '1190000000000000002'
const CALCULUS = '1190000000000000100'

export const PERSONAS: readonly Persona[] = [
  {
    name: 'manager',
    about: 'has an account here, and manages the directory',
    id: '1170000000000000001',
    username: 'morgan.reyes',
    displayName: 'Morgan Reyes',
    discriminator: '0',
    email: 'morgan@example.com',
    verified: true,
    avatar: 'a1b2c3d4e5f60718a1b2c3d4e5f60718',
    guildIds: [TRUSTED_GUILD_ID, CALCULUS],
  },
  {
    name: 'regular',
    about: 'has an account here',
    id: '1170000000000000002',
    username: 'riley_chen',
    displayName: 'Riley Chen',
    discriminator: '0',
    email: 'riley@example.com',
    verified: true,
    avatar: null,
    guildIds: [TRUSTED_GUILD_ID],
  },
  {
    name: 'newcomer',
    about: 'is new, and a member of the trusted server',
    id: '1170000000000000003',
    username: 'noor.haddad',
    displayName: 'Noor Haddad',
    discriminator: '0',
    email: 'noor@example.com',
    verified: true,
    avatar: '0f1e2d3c4b5a69780f1e2d3c4b5a6978',
    guildIds: [TRUSTED_GUILD_ID, CALCULUS],
  },
  {
    name: 'stranger',
    about: 'is new, and a member of no trusted server',
    id: '1170000000000000004',
    username: 'sasha',
    displayName: 'Sasha Bell',
    discriminator: '4821',
    email: 'sasha@example.com',
    verified: true,
    avatar: null,
    guildIds: [BOARD_GAMES],
  },
  {
    name: 'unverified',
    about: 'is new, in the trusted server; Discord has not verified the email address',
    id: '1170000000000000005',
    username: 'uma.k',
    displayName: 'Uma Kowalski',
    discriminator: '0',
    email: 'uma@example.com',
    verified: false,
    avatar: null,
    guildIds: [TRUSTED_GUILD_ID],
  },
  {
    name: 'mailless',
    about: 'is new, in the trusted server; came to Discord with a phone and has no email address',
    id: '1170000000000000006',
    username: 'mika',
    displayName: 'Mika Lund',
    discriminator: '0',
    email: null,
    verified: false,
    avatar: null,
    guildIds: [TRUSTED_GUILD_ID],
  },
]

export function findPersona(name: string | null): Persona | undefined {
  return PERSONAS.find((persona) => persona.name === name)
}
