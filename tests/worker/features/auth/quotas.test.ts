import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { objectId } from '../../../../protocol/object-id.ts'
import { claimDomain } from '../../../../worker/features/sites/sql/domains.ts'
import worker from '../../../../worker/index.ts'
import type { Config } from '../../../../worker/platform/config/config.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { add, firstRow, runSql } from '../../rows.ts'
import { serviceWith } from '../../service-with.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'

useDevnet()

type Limits = Partial<Config['quotas']>
let user: Awaited<ReturnType<typeof signIn>>
beforeEach(async () => {
  user = await signIn()
})

/** Sends a request of the user's to a service with these limits. */
async function call(limits: Limits, method: string, path: string, body?: unknown) {
  const ctx = createExecutionContext()
  const service = serviceWith({ quotas: { ...readConfig(env).quotas, ...limits } })
  const request = new Request<unknown, IncomingRequestCfProperties>(`https://api.example/v0${path}`, {
    method,
    headers: { ...user.headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: body instanceof Uint8Array ? body : JSON.stringify(body) }),
  })
  const response = await worker.fetch(request, service, ctx)
  const text = await response.text()
  await waitOnExecutionContext(ctx)
  const answer: Record<string, unknown> = text === '' ? {} : JSON.parse(text)
  return { ...answer, status: response.status }
}

const item = (limits: Limits, size = 5, blockchain = 'IPFS', folder?: string) =>
  call(limits, 'POST', '/item', { name: 'a.txt', mimetype: 'text/plain', blockchain, size, folder })
const quotas = async (limits: Limits) => Reflect.get(await call(limits, 'GET', '/user'), 'quotas')
const exceeded = (quota: string, limit: number, used: number) => ({
  status: 409,
  code: 'quota_exceeded',
  message: expect.stringContaining(String(limit)),
  quota,
  limit,
  used,
})

describe('the quotas of an account', () => {
  it('are told with the account, each with its limit and what is used of it', async () => {
    await item({}, 7)
    expect(await quotas({})).toEqual({
      unpaidItems: { limit: 2_000, used: 1 },
      unpaidBytes: { limit: 100_000_000, used: 7 },
      merges: { limit: 4, used: 0 },
      folders: { limit: 10_000, used: 0 },
      domains: { limit: 20, used: 0 },
      sites: { limit: 100, used: 0 },
      unusedAddresses: { limit: 100, used: 0 },
      keys: { limit: 20, used: 0 },
    })
  })

  it('A52: end the making of items at the limit, also when all are made at once', async () => {
    const limits = { unpaidItems: 3 }
    const made = await Promise.all(Array.from({ length: 8 }, () => item(limits)))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(await item(limits)).toEqual(exceeded('unpaidItems', 3, 3))
    expect(await quotas(limits)).toMatchObject({ unpaidItems: { limit: 3, used: 3 } })
  })

  it('A52: count bytes as they were declared, before any arrives', async () => {
    const limits = { unpaidBytes: 1000 }
    expect((await item(limits, 600)).status).toBe(201)
    expect(await item(limits, 401)).toEqual(exceeded('unpaidBytes', 1000, 600))
    expect((await item(limits, 400)).status).toBe(201)
  })

  it('A52: are lower before anything was paid, and the refusal says that a deposit raises them', async () => {
    const message =
      'An account may have 100000000 bytes in items that are not paid for; you have 0, and this adds 100000001. You can pay into your balance first, which raises it to at most 10737418240, or send less at once.'
    expect(await item({}, 100_000_001)).toEqual({ ...exceeded('unpaidBytes', 100_000_000, 0), message })
    const paid = { seq: 1, amount: '100000000', balance: '100000000', created_at: Date.now() }
    const { userId: user_id } = user
    await add('ledger', { user_id, blockchain: 'Nativecoin', cause: `output:${user_id}`, ...paid })
    expect((await item({}, 100_000_001)).status).toBe(201)
  })

  it('are not what refuses an item that no account may have: that is 413', async () => {
    expect(await item({ unpaidBytes: 1000 }, 1001)).toMatchObject({ status: 413, code: 'item_too_large' })
  })

  it('leave what is there when they are lowered, and what is stored is never counted', async () => {
    const made = await Promise.all(Array.from({ length: 3 }, () => item({})))
    const limits = { unpaidItems: 2 }
    expect(await item(limits)).toEqual(exceeded('unpaidItems', 2, 3))
    for (const one of made) expect((await call(limits, 'GET', `/item/${Reflect.get(one, 'id')}`)).status).toBe(200)
    await runSql('UPDATE items SET status = 200 WHERE user_id = ?', user.userId)
    expect((await item(limits)).status).toBe(201)
  })

  it('A52: of one account take nothing from another', async () => {
    const limits = { unpaidItems: 1 }
    expect((await item(limits)).status).toBe(201)
    user = await signIn()
    expect((await item(limits)).status).toBe(201)
  })

  it('A52: bound the merges under way, of items and folders alike, and give way when one is done', async () => {
    const limits = { merges: 1 }
    const folder = Reflect.get(await call({}, 'POST', '/folder', { name: 'site', blockchain: 'IPFS' }), 'id')
    const [busy, waiting, file] = await Promise.all([item({}, 1), item({}, 1), item({}, 1, 'IPFS', folder)])
    for (const { id } of [busy, waiting, file].map((made) => ({ id: Reflect.get(made, 'id') }))) {
      await call({}, 'PUT', `/item/${id}/chunk/0`, Uint8Array.of(65))
    }
    const busyId = Reflect.get(busy, 'id')
    await runSql('UPDATE items SET merging_at = ? WHERE id = ?', Date.now(), busyId)
    const merge = () => call(limits, 'POST', `/item/${Reflect.get(waiting, 'id')}/merge`)
    expect(await merge()).toEqual(exceeded('merges', 1, 1))
    expect(await call(limits, 'POST', `/folder/${folder}/merge`)).toEqual(exceeded('merges', 1, 1))
    await runSql('UPDATE items SET merging_at = NULL WHERE id = ?', busyId)
    expect(await merge()).toMatchObject({ status: 200 })
  })

  it('A52: end the making of folders that no file is in, and count those no more that one is in', async () => {
    const limits = { folders: 2 }
    const folder = (name: string, parent?: unknown) =>
      call(limits, 'POST', '/folder', { name, blockchain: 'IPFS', ...(parent === undefined ? {} : { parent }) })
    const made = await Promise.all(['a', 'b', 'c', 'd'].map((name) => folder(name)))
    const [first, ...others] = made.filter(({ status }) => status === 201)
    expect(others).toHaveLength(1)
    expect(await folder('e')).toEqual(exceeded('folders', 2, 2))
    expect(await folder('e', Reflect.get(first ?? {}, 'id'))).toEqual(exceeded('folders', 2, 2))
    const known = ['a', 'b', 'c', 'd'][made.findIndex(({ status }) => status === 201)] ?? ''
    expect(await folder(known)).toEqual(first)
    expect((await item(limits, 5, 'IPFS', String(Reflect.get(first ?? {}, 'id')))).status).toBe(201)
    expect((await folder('e')).status).toBe(201)
    expect(await quotas(limits)).toMatchObject({ folders: { limit: 2, used: 2 } })
  })

  it('bound the domains, and let one that is there point to another item', async () => {
    const claim = (host: string, maxDomains: number) =>
      claimDomain(
        env.DB,
        {
          host,
          kind: 'item',
          id: objectId(Date.now()),
          userId: user.userId,
          status: 'active',
          record: '',
          steps: null,
        },
        Date.now(),
        0,
        maxDomains,
      )
    const host = (name: string) => `${name}.${user.userId}.example`
    expect([await claim(host('a'), 2), await claim(host('b'), 2), await claim(host('c'), 2)]).toEqual([
      true,
      true,
      false,
    ])
    expect(await claim(host('a'), 1)).toBe(true)
    expect(await quotas({})).toMatchObject({ domains: { used: 2 } })
  })

  it('bound the deposit addresses that wait for their first payment', async () => {
    const limits = { unusedAddresses: 2 }
    const address = () => call(limits, 'GET', '/payment/Bitcoin')
    expect([(await address()).status, (await address()).status]).toEqual([200, 200])
    expect(await address()).toEqual(exceeded('unusedAddresses', 2, 2))
    const first = await firstRow<{ address: string }>(
      'SELECT address FROM addresses WHERE user_id = ? LIMIT 1',
      user.userId,
    )
    await add('outputs', { txid: 'd'.repeat(64), address: first?.address ?? '', in_mempool: 1 })
    expect((await address()).status).toBe(200)
  })
})
