import { createHash, randomBytes } from 'node:crypto'
import type { Persona } from './personas.ts'

const CODE_LIFE = 60_000
/** As at Discord: a week, in seconds. */
const TOKEN_SECONDS = 604_800

/** What a person has allowed. */
export interface ClaimedJob {
  persona: Persona
  scopes: readonly string[]
}

interface PendingCode extends ClaimedJob {
  redirectUri: string
  /** S256 of the verifier; null if the request had none. */
  challenge: string | null
  until: number
}

interface TokenAnswer {
  token_type: 'Bearer'
  access_token: string
  expires_in: number
  refresh_token: string
  scope: string
}

/** The codes and tokens that Discord has issued. They are lost with the world: every login requests new ones. */
export class Grants {
  readonly #codes = new Map<string, PendingCode>()
  readonly #access = new Map<string, ClaimedJob & { until: number; refresh: string }>()
  readonly #refresh = new Map<string, ClaimedJob>()

  makeCode(grant: ClaimedJob, redirectUri: string, challenge: string | null, now: number): string {
    const code = randomBytes(15).toString('base64url')
    this.#codes.set(code, { ...grant, redirectUri, challenge, until: now + CODE_LIFE })
    return code
  }

  /** Tokens for a code, which is used up whatever the answer; null if anything about it is wrong. */
  redeem(code: string, redirectUri: string, verifier: string, now: number): TokenAnswer | null {
    const pending = this.#codes.get(code)
    this.#codes.delete(code)
    if (!pending || pending.until <= now || pending.redirectUri !== redirectUri) return null
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    if (pending.challenge !== null && pending.challenge !== challenge) return null
    return this.#issue(pending, now)
  }

  /** New tokens for a refresh token, which is used up. */
  renew(refreshToken: string, now: number): TokenAnswer | null {
    const grant = this.#refresh.get(refreshToken)
    this.#refresh.delete(refreshToken)
    return grant ? this.#issue(grant, now) : null
  }

  /** Ends a token of either kind, and the one issued with it. */
  revoke(token: string): void {
    const refresh = this.#access.get(token)?.refresh ?? token
    this.#refresh.delete(refresh)
    for (const [access, grant] of this.#access) if (grant.refresh === refresh) this.#access.delete(access)
  }

  grantOf(accessToken: string, now: number): ClaimedJob | null {
    const grant = this.#access.get(accessToken)
    return grant && grant.until > now ? grant : null
  }

  #issue({ persona, scopes }: ClaimedJob, now: number): TokenAnswer {
    const [access, refresh] = [randomBytes(24).toString('base64url'), randomBytes(24).toString('base64url')]
    this.#access.set(access, { persona, scopes, until: now + TOKEN_SECONDS * 1000, refresh })
    this.#refresh.set(refresh, { persona, scopes })
    return {
      token_type: 'Bearer',
      access_token: access,
      expires_in: TOKEN_SECONDS,
      refresh_token: refresh,
      scope: scopes.join(' '),
    }
  }
}
