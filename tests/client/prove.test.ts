import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { memoryTokenStore } from '../../client/auth/session.ts'
import { createClient } from '../../client/create-client.ts'

const BITS = 12

/** A client of a service that requires a proof of work to log in, and the requests that it received. */
function proofClient({ bits = BITS, earlier }: { bits?: number; earlier?: string } = {}) {
  const sent: { proof: string | null; device: string | null }[] = []
  const json = (status: number, body: unknown, headers = {}) =>
    new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } })
  const client = createClient({
    api: 'https://api.example',
    tokens: memoryTokenStore(earlier),
    fetch: async (_url, init) => {
      const headers = new Headers(init.headers)
      const proof = headers.get('Hookline-Proof')
      sent.push({ proof, device: headers.get('Hookline-Device') })
      const digest = createHash('sha256')
        .update(proof ?? '')
        .digest()
      const good = proof?.startsWith('challenge.') && digest.readUInt32BE(0) >>> (32 - BITS) === 0
      if (good) return json(200, { accessToken: 'access', refreshToken: 'refresh' })
      const refusal = { message: 'Send a proof.', code: 'proof_needed', puzzle: { challenge: 'challenge', bits } }
      return json(429, refusal, { 'Retry-After': '900' })
    },
  })
  return { client, sent }
}

it('a login that needs a proof is sent again with one', async () => {
  const { client, sent } = proofClient()
  await client.login('ada@example.com', 'Correct1')
  expect(sent).toEqual([
    { proof: null, device: null },
    { proof: expect.stringMatching(/^challenge\.\d+$/), device: null },
  ])
})

it('any other request that needs a proof is sent again with one', async () => {
  const { client, sent } = proofClient()
  const json = { password: 'Correct1', newPassword: 'Correct2' }
  await client.request({ method: 'PUT', path: '/v0/user', json })
  expect(sent.map(({ proof }) => proof)).toEqual([null, expect.stringMatching(/^challenge\.\d+$/)])
})

it('a login shows the earlier refresh token, so that the service knows the device', async () => {
  const { client, sent } = proofClient({ earlier: 'earlier' })
  await client.login('ada@example.com', 'Correct1')
  expect(sent.map(({ device }) => device)).toEqual(['earlier', 'earlier'])
})

it('a login ends with the refusal after three proofs that were not taken', async () => {
  const { client, sent } = proofClient({ bits: 1 })
  await expect(client.login('ada@example.com', 'Correct1')).rejects.toMatchObject({ code: 'proof_needed', status: 429 })
  expect(sent).toHaveLength(4)
})

it('a puzzle of more work than a login is worth is not solved', async () => {
  const { client, sent } = proofClient({ bits: 25 })
  await expect(client.login('ada@example.com', 'Correct1')).rejects.toMatchObject({ code: 'proof_needed' })
  expect(sent).toHaveLength(1)
})
