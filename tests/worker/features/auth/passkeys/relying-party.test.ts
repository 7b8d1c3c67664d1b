import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { relyingParty } from '../../../../../worker/features/auth/passkeys/relying-party.ts'
import worker from '../../../../../worker/index.ts'

it.each([
  ['https://api.example', 'https://api.example/console', { id: 'api.example', origin: 'https://api.example' }],
  ['https://api.example:8443', 'https://api.example:8443/', { id: 'api.example', origin: 'https://api.example:8443' }],
  ['http://127.0.0.1:8787', 'http://localhost:8787/', { id: 'localhost', origin: 'http://localhost:8787' }],
  ['http://localhost:8787', 'http://localhost:9301/', { id: 'localhost', origin: 'http://localhost:9301' }],
  ['http://127.0.0.1:8787', 'http://127.0.0.1:8787/', undefined],
  ['http://localhost:8787', 'http://[::1]:8787/', undefined],
])('BASE_URL %s asked as %s: passkeys are for %j', (baseUrl, url, party) => {
  expect(relyingParty(url, { baseUrl: new URL(baseUrl) })).toEqual(party)
})

it('refuses who asks by an IP address, and says which name to ask by', async () => {
  const settings = { ...env, BASE_URL: 'http://127.0.0.1:8787' }
  const ask = (host: string) =>
    worker.fetch(
      new Request(`http://${host}:8787/v0/token/passkey`, { method: 'POST' }),
      settings,
      createExecutionContext(),
    )
  const refused = await ask('127.0.0.1')
  expect([refused.status, await refused.json()]).toEqual([
    403,
    { code: 'passkeys_off', message: expect.stringContaining('localhost') },
  ])
  expect(await (await ask('localhost')).json()).toMatchObject({ rpId: 'localhost' })
})
