import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../kit/call-devnet.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { foldStored } from './fold-stored.ts'
import { type OldInstallation, unpackInstallation } from './unpack-installation.ts'

/** `upgrade.json` in the archive: the state of the installation of commit 34b290b. */
interface OldState {
  email: string
  password: string
  pendingEmail: string
  refreshToken: string
  stored: { id: string; txids: string[] }
  ipfs: { id: string; cid: string; text: string }
  open: { id: string; address: string; amount: number }
  writing: { id: string; text: string }
  list: { blockchain: string; txids: string[]; hex: string }
  storedText: string
}

let state: OldInstallation<OldState>
let old: OldState
let worker: RunningWorker

beforeAll(async () => {
  state = unpackInstallation('34b290b')
  old = state.told
  worker = await startWorker({
    ...state.folders,
    variables: { ...state.variables, BASE_URL: 'http://127.0.0.1:9571', STORAGE_HOST: 'storage.localhost:9571' },
  })
})

afterAll(async () => {
  await worker?.close()
  state?.remove()
})

async function ask(method: string, path: string, body?: unknown, token?: string): Promise<Response> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  if (token !== undefined) headers.Authorization = `Bearer ${token}`
  return await fetch(worker.url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

async function logIn(): Promise<string> {
  const answer: { accessToken: string } = await (
    await ask('POST', '/v0/token', { email: old.email, password: old.password })
  ).json()
  return answer.accessToken
}

async function statusOf(id: string, token: string): Promise<string> {
  const item: { status: string } = await (await ask('GET', `/v0/item/${id}`, undefined, token)).json()
  return item.status
}

describe('a state that commit 34b290b left behind', () => {
  it('starts, and is healthy', async () => {
    expect((await fetch(`${worker.url}/v0/health`)).status).toBe(200)
  })

  it('keeps a session: its refresh token is good for an access token', async () => {
    const answer = await ask('PUT', '/v0/token', { token: await state.refreshToken() })
    expect(answer.status).toBe(201)
  })

  it('keeps a pending user pending', async () => {
    const answer = await ask('POST', '/v0/token', { email: old.pendingEmail, password: old.password })
    expect(answer.status).toBe(202)
  })

  it('answers what was stored on a chain, by its object id', async () => {
    const content = await (await fetch(`${worker.url}/v0/content/${old.stored.id}`)).text()
    expect(content.startsWith(old.storedText)).toBe(true)
  })

  it('answers a list of transactions whose record it had kept', async () => {
    const answer = await ask('POST', '/v0/blob', { blockchain: old.list.blockchain, txids: old.list.txids })
    expect(await answer.text()).toBe(old.list.hex)
  })

  it('answers an IPFS item, by its id and by its CID', async () => {
    expect(await (await fetch(`${worker.url}/v0/content/${old.ipfs.id}`)).text()).toBe(old.ipfs.text)
    expect(await (await fetch(`${worker.url}/ipfs/${old.ipfs.cid}`)).text()).toBe(old.ipfs.text)
  })

  it('ends what was being written, once it is mined', async () => {
    const token = await logIn()
    expect(await statusOf(old.writing.id, token)).toBe('202 Accepted')
    await expect
      .poll(async () => {
        worker.chains.devnet.mineWaiting()
        return await statusOf(old.writing.id, token)
      })
      .toBe('200 OK')
    expect(await (await fetch(`${worker.url}/v0/content/${old.writing.id}`)).text()).toBe(old.writing.text)
  })

  it('folds the transactions of what was stored, and answers it on', async () => {
    const token = await logIn()
    const shown = async () => await (await ask('GET', `/v0/item/${old.stored.id}`, undefined, token)).json()
    const before = await shown()
    await foldStored(worker, old.stored.id)
    expect(await shown()).toEqual(before)
    expect(before).toMatchObject({ txids: old.stored.txids })
    const content = await (await fetch(`${worker.url}/v0/content/${old.stored.id}`)).text()
    expect(content.startsWith(old.storedText)).toBe(true)
  })

  it('takes the payment that an open request asked for', async () => {
    const token = await logIn()
    const request: { address: string } = await (
      await ask('POST', '/v0/payment', { blockchain: 'Nativecoin', ids: [old.open.id] }, token)
    ).json()
    expect(request.address).toBe(old.open.address)
    connect(worker.chains.devnet, 'Nativecoin')('sendtoaddress', old.open.address, old.open.amount)
    await expect
      .poll(async () => {
        worker.chains.devnet.mineWaiting()
        return await statusOf(old.open.id, token)
      })
      .toBe('200 OK')
  })
})
