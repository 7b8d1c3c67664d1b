import { createHash, createPrivateKey, type JsonWebKey, sign } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StorageTarget } from '../../protocol/chains.ts'
import { connect } from '../kit/call-devnet.ts'
import { type DohServer, startDohServer } from '../kit/doh-server.ts'
import { startReceiver } from '../kit/loopback-server.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { foldStored } from './fold-stored.ts'
import { type OldInstallation, unpackInstallation } from './unpack-installation.ts'

/** `upgrade.json` in the archive: the state of the installation of commit 7f2e89c. */
interface OldState {
  email: string
  operatorEmail: string
  pendingEmail: string
  password: string
  refreshToken: string
  key: string
  webhook: { id: string; secret: string }
  passkey: { credential: string; jwk: JsonWebKey }
  balances: Record<string, number>
  ledgerEntries: number
  withdrawals: { confirmed: string; sent: string }
  folder: string
  items: Record<StorageTarget, { id: string; text: string; txids?: string[]; cid?: string }>
  site: { id: string; host: string; domain: string; versions: string[] }
  other: string
  denied: string
  half: { id: string; size: number }
  tus: { id: string; text: string; offset: number }
  idempotent: { key: string; request: unknown; answer: string }
  open: { id: string; address: string; rest: string }
  writing: { id: string; text: string }
}

let state: OldInstallation<OldState>
let old: OldState
let doh: DohServer
let worker: RunningWorker
let token: string

beforeAll(async () => {
  state = unpackInstallation('7f2e89c')
  old = state.told
  doh = await startDohServer()
  doh.zone[old.site.domain] = [['CNAME', old.site.host]]
  worker = await startWorker({
    ...state.folders,
    variables: {
      ...state.variables,
      BASE_URL: 'http://127.0.0.1:9571',
      STORAGE_HOST: 'storage.localhost:9571',
      WEBHOOK_LOOPBACK: 'true',
      DOH_URL: doh.url,
    },
  })
  token = (await ask('POST', '/v0/token', { email: old.email, password: old.password })).json().accessToken
})

afterAll(async () => {
  await worker?.close()
  doh?.close()
  state?.remove()
})

interface Asked {
  headers?: Record<string, string>
  token?: string
}

async function ask(method: string, path: string, body?: unknown, { headers, token: other }: Asked = {}) {
  const bytes = body instanceof Uint8Array
  const response = await fetch(worker.url + path, {
    method,
    headers: {
      ...(!bytes && { 'Content-Type': 'application/json' }),
      ...(other || token ? { Authorization: `Bearer ${other ?? token}` } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: bytes ? Uint8Array.from(body) : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) }
}

/** What a browser gets that names this host. */
async function visit(host: string, path = '/'): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await worker.miniflare.dispatchFetch(`http://${host}:9571${path}`)
  const { status, headers } = response
  return { status, text: await response.text(), headers: new Headers([...headers]) }
}

const statusOf = async (id: string): Promise<string> => (await ask('GET', `/v0/item/${id}`)).json().status

describe('an installation that commit 7f2e89c left behind', () => {
  it('starts, and is healthy', async () => {
    expect((await ask('GET', '/v0/health')).status).toBe(200)
  })

  it('keeps sessions, and users whose address was not confirmed', async () => {
    expect((await ask('PUT', '/v0/token', { token: await state.refreshToken() })).status).toBe(201)
    expect((await ask('POST', '/v0/token', { email: old.pendingEmail, password: old.password })).status).toBe(202)
  })

  it('keeps API keys, with their scopes', async () => {
    expect((await ask('GET', '/v0/item', undefined, { token: old.key })).status).toBe(200)
    expect((await ask('GET', '/v0/user/keys', undefined, { token: old.key })).status).toBe(403)
  })

  it('keeps passkeys: one of then logs in', async () => {
    const origin = worker.url.replace('127.0.0.1', 'localhost')
    const answer = await fetch(`${origin}/v0/token/passkey`, { method: 'POST' })
    const { challenge }: { challenge: string } = await answer.json()
    const client = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin, crossOrigin: false }))
    const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest()
    const data = Buffer.concat([sha256('localhost'), Buffer.from([5, 0, 0, 0, 1])])
    const key = createPrivateKey({ key: old.passkey.jwk, format: 'jwk' })
    const id = old.passkey.credential
    const response = {
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', Buffer.concat([data, sha256(client)]), key).toString('base64url'),
      userHandle: null,
    }
    const entered = await fetch(`${origin}/console/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
      body: JSON.stringify({ passkey: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response } }),
    })
    expect([entered.status, Object.keys(JSON.parse(await entered.text()))]).toEqual([
      200,
      expect.arrayContaining(['accessToken']),
    ])
  })

  it.each(['Bitcoin', 'Dogecoin', 'Nativecoin', 'IPFS'] as const)('answers what was stored on %s', async (target) => {
    const { id, text, txids = [], cid } = old.items[target]
    expect((await ask('GET', `/v0/content/${id}`)).text).toBe(text)
    const source = cid === undefined ? `/v0/web/${target}/${txids.join(',')}` : `/ipfs/${cid}`
    expect((await ask('GET', source)).text).toBe(text)
    expect((await ask('GET', `/v0/item/${id}/receipt`)).status).toBe(200)
  })

  it('lists its items, by folder and by name, and its folders', async () => {
    const named = async (query: string): Promise<string[]> =>
      (await ask('GET', `/v0/item?${query}`)).json().items.map(({ id }: { id: string }) => id)
    expect(await named(`folder=${old.folder}`)).toEqual([old.items.Bitcoin.id])
    expect(await named('name=doge')).toEqual([old.items.Dogecoin.id])
    expect(await named('status=402')).toEqual([old.open.id])
    const { folders }: { folders: { name: string }[] } = (await ask('GET', '/v0/folder')).json()
    expect(folders.map(({ name }) => name).sort()).toEqual(['Letters', 'almanac April', 'almanac March'])
  })

  it('shows its sites, each in its version, at their hosts and at a domain', async () => {
    expect(await visit(old.site.host)).toMatchObject({ status: 200, text: '<title>April</title>' })
    expect(await visit(`${old.other}.storage.localhost`)).toMatchObject({ status: 200, text: '<title>March</title>' })
    const { status, text, headers } = await visit(old.site.domain)
    expect([status, text, headers.get('X-Robots-Tag')]).toEqual([200, '<title>April</title>', 'noindex'])
    const { versions } = (await ask('GET', `/v0/site/${old.site.id}/versions`)).json()
    expect(versions.map(({ item }: { item: string }) => item)).toEqual([...old.site.versions].reverse())
  })

  it('goes back to a version of then', async () => {
    expect((await ask('PUT', `/v0/site/${old.site.id}/current`, { version: 1 })).status).toBe(200)
    await expect.poll(async () => (await visit(old.site.host)).text).toBe('<title>March</title>')
  })

  it('denies what was denied, and still has its report open', async () => {
    expect((await ask('GET', `/ipfs/${old.denied}`)).status).toBe(451)
    const operator = await ask('POST', '/v0/token', { email: old.operatorEmail, password: old.password })
    const moderator = { token: operator.json().accessToken }
    const { reports } = (await ask('GET', '/v0/report?status=open', undefined, moderator)).json()
    expect(reports).toMatchObject([{ kind: 'txid', value: old.items.Dogecoin.txids?.[0] }])
  })

  it('gives the answer of then to who repeats a request with its key', async () => {
    const headers = { 'Idempotency-Key': old.idempotent.key }
    expect(await ask('POST', '/v0/item', old.idempotent.request, { headers })).toMatchObject({
      status: 201,
      text: old.idempotent.answer,
    })
  })

  it('takes the rest of an upload by chunks', async () => {
    const content = Buffer.alloc(old.half.size, 'Half of an upload. ')
    const first = content.subarray(0, 2 ** 20)
    expect((await ask('PUT', `/v0/item/${old.half.id}/chunk/0`, first)).status).toBe(204)
    await ask('POST', `/v0/item/${old.half.id}/merge`)
    await expect.poll(() => statusOf(old.half.id)).toBe('402 Payment Required')
  })

  it('takes the rest of a resumable upload, from the byte at which it was cut off', async () => {
    const { id, text, offset } = old.tus
    const tus = { 'Tus-Resumable': '1.0.0' }
    const held = await ask('HEAD', `/v0/upload/${id}`, undefined, { headers: tus })
    expect(held.headers.get('Upload-Offset')).toBe(String(offset))
    const headers = { ...tus, 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' }
    const sent = await ask('PATCH', `/v0/upload/${id}`, Buffer.from(text.slice(offset)), { headers })
    expect([sent.status, sent.headers.get('Upload-Offset')]).toEqual([204, String(text.length)])
    await ask('POST', `/v0/item/${id}/merge`)
    await expect.poll(() => statusOf(id)).toBe('402 Payment Required')
  })

  it('has the balances and the ledger of then, and its withdrawals, of which one was not confirmed', async () => {
    const withdrawals = async (): Promise<Record<string, string>> =>
      Object.fromEntries(
        (await ask('GET', '/v0/withdrawal'))
          .json()
          .withdrawals.map(({ id, state }: { id: string; state: string }) => [id, state]),
      )
    expect((await ask('GET', '/v0/user')).json().balances).toEqual(old.balances)
    expect((await ask('GET', '/v0/ledger')).json().entries).toHaveLength(old.ledgerEntries)
    expect(await withdrawals()).toEqual({ [old.withdrawals.confirmed]: 'confirmed', [old.withdrawals.sent]: 'sent' })
    await expect
      .poll(async () => {
        worker.chains.devnet.mineWaiting()
        return (await withdrawals())[old.withdrawals.sent]
      })
      .toBe('confirmed')
  })

  it('ends what was being written, once it is mined', async () => {
    await expect
      .poll(async () => {
        worker.chains.devnet.mineWaiting()
        return await statusOf(old.writing.id)
      })
      .toBe('200 OK')
    expect((await ask('GET', `/v0/content/${old.writing.id}`)).text).toBe(old.writing.text)
  })

  it('takes the rest of a payment that was begun, and tells the webhook of then, signed with its secret', async () => {
    const { url, received, close } = await startReceiver()
    const db = await worker.miniflare.getD1Database('DB')
    await db.prepare('UPDATE webhooks SET url = ? WHERE id = ?').bind(url, old.webhook.id).run()
    connect(worker.chains.devnet, 'Nativecoin')('sendtoaddress', old.open.address, old.open.rest)
    await expect
      .poll(async () => {
        worker.chains.devnet.mineWaiting()
        return await statusOf(old.open.id)
      })
      .toBe('200 OK')
    const told = () => {
      const webhook = new Webhook(old.webhook.secret)
      return received.map(({ body, headers }) => webhook.verify(body, headers))
    }
    await expect
      .poll(told)
      .toContainEqual(
        expect.objectContaining({ type: 'item.stored', data: expect.objectContaining({ id: old.open.id }) }),
      )
    await close()
  })

  it.each(['Bitcoin', 'Dogecoin', 'Nativecoin'] as const)(
    'folds what was stored on %s, and answers it on',
    async (target) => {
      const { id, text } = old.items[target]
      const before = (await ask('GET', `/v0/item/${id}`)).json()
      await foldStored(worker, id)
      expect((await ask('GET', `/v0/item/${id}`)).json()).toEqual(before)
      expect((await ask('GET', `/v0/content/${id}`)).text).toBe(text)
    },
  )
})
