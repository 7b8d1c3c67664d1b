import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import worker from '../../../../worker/index.ts'
import { add } from '../../rows.ts'
import { serviceWith } from '../../service-with.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { mergedItem } from '../payments/pay-for-items.ts'
import { callApi } from './api.ts'

useDevnet()

const FILE = { name: 'a.txt', mimetype: 'text/plain', blockchain: 'Bitcoin', size: 5 }

/** Counts an account among those that paid. */
const credit = async (userId: string) =>
  await add('ledger', { user_id: userId, seq: 1, amount: '5', balance: '5', cause: `output:${userId}:0` })

/** Sends a request to a service whose database is full to this share; what it answers. */
async function ask(share: number, token: string, method: string, path: string, body: unknown) {
  const { meta } = await env.DB.prepare('SELECT 1').run()
  const ctx = createExecutionContext()
  const bytes = body instanceof Uint8Array
  const request = new Request<unknown, IncomingRequestCfProperties>(`https://api.example/v0${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(bytes ? {} : { 'Content-Type': 'application/json' }) },
    body: bytes ? body : JSON.stringify(body),
  })
  const service = serviceWith({ databaseBytes: Math.ceil(meta.size_after / share) })
  const response = await worker.fetch(request, service, ctx)
  const text = await response.text()
  await waitOnExecutionContext(ctx)
  const retryAfter = response.headers.get('Retry-After')
  const answer: Record<string, unknown> = text === '' ? {} : JSON.parse(text)
  return { ...answer, status: response.status, retryAfter }
}

const full = { status: 503, code: 'database_full', retryAfter: '3600' }

describe('while the database is nearly full', () => {
  it('new items of who never paid are refused, those of others are taken', async () => {
    const [stranger, customer] = [await signIn(), await signIn()]
    await credit(customer.userId)
    expect(await ask(0.85, stranger.token, 'POST', '/item', FILE)).toMatchObject(full)
    expect(await ask(0.85, customer.token, 'POST', '/item', FILE)).toMatchObject({ status: 201 })
  })

  it('and nearly to its end, those of all are, and what is there is uploaded and paid as before', async () => {
    const { userId, token, headers } = await signIn()
    await credit(userId)
    const begun = await ask(0.5, token, 'POST', '/item', FILE)
    const id = await mergedItem(callApi(headers), 'Bitcoin')
    expect(await ask(0.96, token, 'POST', '/item', FILE)).toMatchObject(full)
    const chunk = `/item/${Reflect.get(begun, 'id')}/chunk/0`
    expect(await ask(0.96, token, 'PUT', chunk, new Uint8Array(5))).toMatchObject({ status: 204 })
    const payment = await ask(0.96, token, 'POST', '/payment', { blockchain: 'Bitcoin', ids: [id] })
    expect(payment).toMatchObject({ status: 402, address: expect.any(String) })
  })
})
