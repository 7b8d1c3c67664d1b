import { readerOf } from '../answers/read-answer.ts'
import { readProfile } from '../answers/read-answers.ts'
import { type List, listOf } from '../http/pages.ts'
import { pathTo } from '../http/path-to.ts'
import type { Transport } from '../http/transport.ts'
import type { ApiKey, Profile } from '../types.ts'
import type { CallOptions } from './call-options.ts'

/** The caller's account. */
export function accountOf(transport: Transport) {
  return {
    /** The profile with balances and deposit addresses. */
    async get({ signal }: CallOptions = {}): Promise<Profile> {
      return readProfile((await transport.send({ method: 'GET', path: '/v0/user', signal })).body)
    },

    /**
     * Mails a link to a new address of the account; both addresses are told. The address changes once the link was followed
     * and the password entered there.
     * @throws {ApiError} `wrong_password`
     */
    async sendNewEmail(change: { email: string; password: string }, { signal }: CallOptions = {}): Promise<void> {
      await transport.send({ method: 'POST', path: '/v0/user/email/send', json: change, signal })
    },
  }
}

export interface NewApiKey {
  name: string
  scopes: readonly ApiKey['scopes'][number][]
  /** Unix seconds. */
  expiresAt?: number | undefined
  /**
   * The most that it may spend by chain and UTC day: decimal numbers of coins by chain. Required with the scope `pay`.
   */
  spending?: Readonly<Record<string, string>> | undefined
}

/** API keys, for servers. */
export function keysOf(transport: Transport) {
  const path = '/v0/user/keys'
  return {
    /** The result is the only time the key itself is shown. Needs a login within the last ten minutes. */
    async create(key: NewApiKey, { signal }: CallOptions = {}): Promise<{ id: string; key: string }> {
      const answer = await transport.fields({ method: 'POST', path, json: key, signal })
      return { id: answer.string('id'), key: answer.string('key') }
    },

    /** The keys of the account, never the secrets; times in Unix seconds. @throws {ApiError} */
    list: ({ signal }: CallOptions = {}): List<ApiKey> =>
      listOf(transport, () => ({ path, signal }), 'keys', readerOf('ApiKey')),

    /** Ends a key at once. @throws {ApiError} 404 */
    async revoke(id: string, { signal }: CallOptions = {}): Promise<void> {
      await transport.send({ method: 'DELETE', path: pathTo`/v0/user/keys/${id}`, signal })
    },
  }
}
