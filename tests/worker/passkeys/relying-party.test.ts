import { expect, it } from 'vitest'
import { relyingParty } from '../../../worker/passkeys/relying-party.ts'

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
