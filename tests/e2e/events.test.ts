import { Webhook } from 'standardwebhooks'
import { expect, it, vi } from 'vitest'
import { connect } from '../kit/call-devnet.ts'
import { startReceiver } from '../kit/loopback-server.ts'
import { uploadItem } from '../kit/upload-item.ts'
import { openService, send, token, worker } from './open-service.ts'

openService({ settings: () => ({ WEBHOOK_LOOPBACK: 'true' }), account: 'user', mines: true })

const post = (path: string, body: unknown) => send('POST', path, JSON.stringify(body))

/** Uploads an item and pays for it. */
async function payForItem(): Promise<string> {
  const content = new TextEncoder().encode(crypto.randomUUID())
  const id = await uploadItem(send, { name: 'a.txt', mimetype: 'text/plain', blockchain: 'Nativecoin' }, content)
  await send('POST', `/item/${id}/merge`)
  await vi.waitFor(async () => expect((await send('GET', `/item/${id}`)).status).toBe(200), 60_000)
  const asked = await post('/payment', { blockchain: 'Nativecoin', ids: [id] })
  const { address, amount }: { address: string; amount: number } = await asked.json()
  connect(worker.chains.devnet, 'Nativecoin')('sendtoaddress', address, String(amount))
  return id
}

const openStream = (headers: Record<string, string> = {}) => {
  const controller = new AbortController()
  const answering = fetch(`${worker.url}/v0/events`, {
    headers: { Authorization: `Bearer ${token}`, ...headers },
    signal: controller.signal,
  })
  return { answering, leave: () => controller.abort() }
}
/** The text of a stream, up to what `enough` waits for. */
async function readUntil(response: Response, enough: (text: string) => boolean): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true })
    if (enough(text)) return text
  }
  throw new Error(`the stream ended: ${text}`)
}

it('streams what happens to an item, from its upload to its being stored, to who reads it by fetch', async () => {
  const { answering, leave } = openStream()
  const response = await answering
  expect(response.headers.get('Content-Type')).toBe('text/event-stream')
  const reading = readUntil(response, (text) => text.includes('event: item.stored'))
  const id = await payForItem()
  const text = await reading
  leave()
  const types = [...text.matchAll(/^event: (\S+)$/gm)].map(([, type]) => type)
  const always = ['item.merging', 'request.settled', 'item.stored']
  expect(types.filter((type) => always.includes(type ?? ''))).toEqual(always)
  expect(types).toContain('item')
  expect(types).toContain('request')
  const [, first = ''] = /^id: (\d+)\nevent: item\.merging$/m.exec(text) ?? []
  const again = openStream({ 'Last-Event-ID': first })
  const rest = await readUntil(await again.answering, (so) => so.includes('event: item.stored'))
  again.leave()
  expect(rest).not.toContain('item.merging')
  expect(rest).toContain(`"id":"${id}"`)
})

it('notices that a reader went away, and counts its stream no more', async () => {
  const streams = Array.from({ length: 3 }, () => openStream())
  for (const { answering } of streams) await (await answering).body?.getReader().read()
  expect((await openStream().answering).status).toBe(429)
  for (const { leave } of streams) leave()
  const db = await worker.miniflare.getD1Database('DB')
  await vi.waitFor(
    async () => expect(await db.prepare('SELECT COUNT(*) AS n FROM event_streams').first()).toEqual({ n: 0 }),
    { timeout: 60_000, interval: 500 },
  )
})

it('tells a webhook on this machine, where the operator allows it, with a signature that the library takes', async () => {
  const { url, received, close } = await startReceiver()
  const added = await post('/webhook', { url, types: ['item.stored'] })
  const { secret }: { secret: string } = await added.json()
  const id = await payForItem()
  await vi.waitFor(() => expect(received).toHaveLength(1), 60_000)
  const [{ body, headers } = { body: '', headers: {} }] = received
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'item.stored', data: { id } })
  await close()
})

it('has a way out for webhooks that leads to no address of this machine or its network', async () => {
  const { PUBLIC_FETCH } = await worker.miniflare.getBindings<{ PUBLIC_FETCH: { fetch: typeof fetch } }>()
  await expect(PUBLIC_FETCH.fetch(`${worker.url}/v0/health`)).rejects.toThrow()
  await expect(PUBLIC_FETCH.fetch('http://10.0.0.1/')).rejects.toThrow()
})
