import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  createClient,
  memoryStateStore,
  type PaymentRequest,
  type PutFile,
  type PutOptions,
  type StateStore,
} from '../../client/index.ts'
import { FakeApi, sha256Hex } from './fake-api.ts'

/** A client whose waits end at once. */
function clientOf(api: FakeApi, state?: StateStore) {
  return createClient({
    api: 'https://api.test',
    key: 'hk_test',
    fetch: api.fetch,
    sleep: async (_, signal) => signal?.throwIfAborted(),
    random: () => 0,
    state: state ?? memoryStateStore(),
  })
}

const bytes = (length: number, seed = 1) => Uint8Array.from({ length }, (_, index) => (index * seed) & 0xff)
const file = (path: string, length: number, seed = 1): PutFile => ({ path, content: bytes(length, seed) })
const to: PutOptions = { to: 'Bitcoin' }
const fromBalance: PutOptions = { ...to, pay: 'balance', maxFee: '1' }

class Killed extends Error {}

type Side = 'before' | 'behind'

/** Runs `run` killed before or behind its n-th request, and again undisturbed; `undefined` where it was done before. */
async function killedOnce(api: FakeApi, kill: number, side: Side, run: (state: StateStore) => Promise<unknown>) {
  const state = memoryStateStore()
  let count = 0
  const dead = () => count >= kill
  const strike = () => {
    if (++count >= kill) throw new Killed()
  }
  api.before = () => {
    if (side === 'before') strike()
    // Once dead it sends nothing more.
    else if (dead()) throw new Killed()
    return undefined
  }
  api.after = () => {
    if (side === 'behind') strike()
  }
  const mortal: StateStore = {
    ...state,
    async append(key, record) {
      if (dead()) throw new Killed()
      await state.append(key, record)
    },
  }
  const end = await run(mortal).catch((error: unknown) => error)
  if (!causedBy(end, Killed)) return undefined
  api.before = () => undefined
  api.after = () => {}
  return run(state)
}

function causedBy(error: unknown, kind: typeof Killed): boolean {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof kind) return true
  return false
}

describe('put', () => {
  it('uploads in slices, merges, and asks for the payment', async () => {
    const api = new FakeApi()
    const result = await clientOf(api).put({ path: 'cat.png', content: bytes(2500) }, to)
    expect(result.items).toMatchObject([{ name: 'cat.png', mimetype: 'image/png', status: '402 Payment Required' }])
    expect(result.payments).toMatchObject([{ amount: '0.000001', address: 'address0' }])
    expect(api.contentOf(result.items[0]?.id ?? '')).toEqual(Buffer.from(bytes(2500)))
  })

  it.each(['before', 'behind'] as const)(
    'command 9: killed %s any request, the rerun ends with one item and one payment',
    async (side) => {
      for (let kill = 1; ; kill++) {
        const api = new FakeApi()
        api.balance = 1_000_000
        const run = (state: StateStore) => clientOf(api, state).put(file('a.bin', 3500), fromBalance)
        if (!(await killedOnce(api, kill, side, run))) {
          expect(kill).toBeGreaterThan(7)
          return
        }
        expect([...api.items.values()].map(({ status }) => status)).toEqual(['202 Accepted'])
        expect(api.charges).toBe(1)
        expect(api.contentOf([...api.items.keys()][0] ?? '')).toEqual(Buffer.from(bytes(3500)))
      }
    },
  )

  it.each([
    ['many files', fromBalance],
    ['a directory', { ...fromBalance, to: 'IPFS', directory: 'site' }],
    ['a website on a chain', { ...fromBalance, directory: 'site', linkKnown: true }],
  ] satisfies [string, PutOptions][])(
    'command 9: %s, killed behind any request, end as one order',
    async (_, options) => {
      const files = Array.from({ length: 7 }, (_, index) =>
        file(`sub${index % 2}/f${index}.txt`, 500 + index * 400, index),
      )
      for (let kill = 1; ; kill++) {
        const api = new FakeApi()
        api.balance = 1_000_000
        const run = (state: StateStore) => clientOf(api, state).put(files, options)
        if (!(await killedOnce(api, kill, 'behind', run))) {
          expect(kill).toBeGreaterThan(20)
          return
        }
        const made = [...api.items.values()].filter(({ mimetype }) => mimetype !== 'inode/directory')
        expect(made.map(({ name }) => name).sort()).toEqual(files.map(({ path }) => path.slice(5)).sort())
        expect(api.charges).toBe(1)
        for (const one of made) expect(one.chunks.size).toBe(one.chunkCount)
      }
    },
  )

  it('is priced as one directory where it becomes one, and nothing is asked for a link on a chain', async () => {
    const api = new FakeApi()
    const { items } = await clientOf(api).put([file('a.bin', 10)], { ...to, directory: 'site', linkKnown: true })
    const bodies = api.requests.filter(({ path }) => path === '/v0/estimate').map(({ body }) => body.directory)
    expect(bodies).toEqual([true])
    expect(api.requests.some(({ path }) => /folder.*known/.test(path))).toBe(false)
    expect(items).toMatchObject([{ mimetype: 'inode/directory', blockchain: 'Bitcoin' }])
  })

  it('command 9: 250 files, cut at every hundredth request, are one order of which nothing is sent twice', async () => {
    const api = new FakeApi()
    api.balance = 1_000_000
    const state = memoryStateStore()
    const files = Array.from({ length: 250 }, (_, index) => file(`f${index}.bin`, 10 + index, index + 1))
    let runs = 0
    for (let result: unknown; result === undefined; runs++) {
      let left = 100
      api.before = () => {
        if (left-- <= 0) throw new Killed()
        return undefined
      }
      result = await clientOf(api, state)
        .put(files, { ...to, pay: false })
        .then(({ ids, failed }) => expect([ids.length, failed]).toEqual([250, []]) ?? true)
        .catch((error: unknown) => {
          if (!causedBy(error, Killed)) throw error
        })
      expect(runs).toBeLessThan(10)
    }
    api.before = () => undefined
    await clientOf(api, state).put(files, fromBalance)
    expect(api.items.size).toBe(250)
    expect(api.received).toBe(files.reduce((sum, _, index) => sum + 10 + index, 0))
    expect(api.charges).toBe(2)
    expect(new Set([...api.items.values()].map(({ status }) => status))).toEqual(new Set(['202 Accepted']))
  })

  it('command 6: goes on by content, and anew where one byte is another', async () => {
    const api = new FakeApi()
    const state = memoryStateStore()
    api.before = ({ path }) => (path.endsWith('/merge') ? new Response(null, { status: 403 }) : undefined)
    await expect(clientOf(api, state).put(file('a.bin', 3000), to)).rejects.toMatchObject({ status: 403 })
    api.before = () => undefined
    const sent = api.received
    await clientOf(api, state).put({ path: 'a.bin', content: new Blob([bytes(3000)]) }, to)
    expect(api.received).toBe(sent)
    expect(api.items.size).toBe(1)
    const changed = bytes(3000)
    changed[1234] = 99
    await clientOf(api, state).put({ path: 'a.bin', content: changed }, to)
    expect(api.items.size).toBe(2)
  })

  it('command 6: another account or target is another order', async () => {
    const api = new FakeApi()
    const state = memoryStateStore()
    const first = await clientOf(api, state).put(file('a.bin', 100), to)
    const second = await clientOf(api, state).put(file('a.bin', 100), { to: 'Dogecoin' })
    expect(second.order).not.toBe(first.order)
    expect(api.items.size).toBe(2)
  })

  it.each([
    ['alone', [file('none', 0)]],
    ['beside others', [file('.nojekyll', 0), file('a.bin', 1500), file('py.typed', 0)]],
  ])('stores files of 0 bytes without sending a chunk of them: %s', async (_, files) => {
    const api = new FakeApi()
    const { items, failed } = await clientOf(api).put(files, to)
    expect(failed).toEqual([])
    expect(items.map(({ name, size, status }) => [name, size, status])).toEqual(
      files.map(({ path }) => [path, path === 'a.bin' ? 1500 : 0, '402 Payment Required']),
    )
    expect(api.received).toBe(files.length > 1 ? 1500 : 0)
  })

  it('command 8: names all that is wrong with a folder at once, and sends nothing', async () => {
    const api = new FakeApi()
    const files = [file('ok.txt', 5), file('../up.txt', 5), file('ok.txt', 5), file(`${'n'.repeat(256)}`, 5)]
    const error = await clientOf(api)
      .put(files, to)
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: 'invalid_files',
      faults: [
        { path: '../up.txt', problem: 'is no path inside the folder' },
        { path: 'ok.txt', problem: 'is there twice' },
        { path: 'n'.repeat(256), problem: 'has a name of more than 255 characters' },
      ],
    })
    expect(api.requests).toEqual([])
  })

  const levels = (count: number) => Array.from({ length: count }, (_, index) => index + 1).join('/')

  it.each<[string, PutFile[], Partial<PutOptions>, string | undefined]>([
    ['files 33 folders deep', [file(`${levels(33)}/x`, 5)], {}, `${levels(33)}/x`],
    ['files 32 folders deep', [file(`${levels(32)}/x`, 5)], {}, undefined],
    ['a directory of 32 levels', [file('i', 5), file(`${levels(32)}/x`, 5)], { directory: 'site' }, `${levels(32)}/x`],
    ['a directory of 31 levels', [file('i', 5), file(`${levels(31)}/x`, 5)], { directory: 'site' }, undefined],
    [
      'an empty folder of 32 levels in a directory',
      [file('i', 5)],
      { directory: 'site', emptyFolders: [levels(32)] },
      levels(32),
    ],
    [
      'files 32 folders deep in a folder of the account',
      [file(`${levels(32)}/x`, 5)],
      { folder: 'f' },
      `${levels(32)}/x`,
    ],
  ])('names what is too deep before its first request: %s', async (_, files, options, path) => {
    const api = new FakeApi()
    const error = await clientOf(api)
      .put(files, { to: 'IPFS', pay: false, ...options })
      .catch((reason: unknown) => reason)
    if (path === undefined) return expect(error).not.toBeInstanceOf(Error)
    expect(error).toMatchObject({
      code: 'invalid_files',
      faults: [{ path, problem: expect.stringMatching(/^is \d+ folders deep/) }],
    })
    expect(api.requests).toEqual([])
  })

  it.each<[string, Partial<PutOptions>, (api: FakeApi) => void]>([
    [
      'the service refuses a folder',
      {},
      (api) => {
        api.refusedFolders = ({ name }) =>
          name === 'b' ? { code: 'invalid_field', message: 'parent is 32 folders deep already.' } : undefined
      },
    ],
    ['it costs more than the limit', { maxFee: '0.00000001' }, () => {}],
    ['there is no room for it', {}, (api) => Object.assign(api.limits, { unpaidItems: 0 })],
    [
      'the caller declines it',
      {
        beforeItems: () => {
          throw new Error('No.')
        },
      },
      () => {},
    ],
    [
      'the service refuses its items',
      {},
      (api) => {
        api.before = ({ method, path }) =>
          method === 'POST' && path === '/v0/item'
            ? Response.json({ code: 'item_too_large', message: 'Too large.' }, { status: 413 })
            : undefined
      },
    ],
  ])('leaves nothing behind where %s, and the next call begins anew', async (_, options, refuse) => {
    const api = new FakeApi()
    const state = memoryStateStore()
    const limits = { ...api.limits }
    refuse(api)
    const site: PutOptions = { to: 'IPFS', directory: 'site', linkKnown: true, pay: false }
    const files = [file('index.html', 5), file('a/b/c.txt', 5, 2)]
    await expect(clientOf(api, state).put(files, { ...site, ...options })).rejects.toThrow()
    expect([api.folders.size, api.items.size]).toEqual([0, 0])
    api.refusedFolders = undefined
    api.before = () => undefined
    Object.assign(api.limits, limits)
    const { items } = await clientOf(api, state).put(files, site)
    expect(items).toMatchObject([{ name: expect.stringContaining('site'), status: '402 Payment Required' }])
  })

  it.each([
    ['a service that is down', 503, 'busy'],
    ['too many requests', 429, 'too_many_requests'],
  ])('is continued after %s, with what was made', async (_, status, code) => {
    const api = new FakeApi()
    const state = memoryStateStore()
    api.before = ({ method, path }) =>
      method === 'POST' && path === '/v0/item' ? Response.json({ code, message: 'Later.' }, { status }) : undefined
    const site: PutOptions = { to: 'IPFS', directory: 'site', pay: false }
    const files = [file('index.html', 5), file('a/b.txt', 5, 2)]
    await expect(clientOf(api, state).put(files, site)).rejects.toMatchObject({ status })
    const made = [...api.folders.keys()]
    expect(made).toHaveLength(2)
    api.before = () => undefined
    await clientOf(api, state).put(files, site)
    expect([...api.folders.keys()]).toEqual(made)
  })

  it('keeps an order of which bytes were sent, whatever is refused then', async () => {
    const api = new FakeApi()
    api.before = ({ path }) =>
      path.endsWith('/merge')
        ? Response.json({ code: 'content_too_large', message: 'Too large.' }, { status: 422 })
        : undefined
    const files = [file('index.html', 5), file('a/b.txt', 5, 2)]
    await clientOf(api)
      .put(files, { to: 'IPFS', directory: 'site', pay: false })
      .catch(() => undefined)
    expect([api.folders.size, api.items.size]).toEqual([2, 2])
  })

  it('names an empty path as such', async () => {
    await expect(clientOf(new FakeApi()).put([file('', 5)], to)).rejects.toThrow('"": is no path inside the folder.')
  })

  it('command 10: one failing file stops no other, and the rerun sends only that one', async () => {
    const api = new FakeApi()
    const state = memoryStateStore()
    const files = [file('a.bin', 1500, 2), file('b.bin', 1500, 3), file('c.bin', 1500, 5)]
    api.before = ({ path }) =>
      path.includes('/chunk/') && api.items.get(path.split('/')[3] ?? '')?.name === 'b.bin'
        ? Response.json({ code: 'chunk_too_short', message: 'No.' }, { status: 400 })
        : undefined
    const first = await clientOf(api, state).put(files, to)
    expect(first.failed).toMatchObject([{ path: 'b.bin', error: { code: 'chunk_too_short' } }])
    expect(first.items.map(({ name }) => name)).toEqual(['a.bin', 'c.bin'])
    api.before = () => undefined
    const before = api.received
    const second = await clientOf(api, state).put(files, to)
    expect(second.failed).toEqual([])
    expect(second.items).toHaveLength(3)
    expect(api.received - before).toBe(1500)
    expect(api.items.size).toBe(3)
  })

  it('an item that is gone before it is paid is named, the others are paid, and the next run makes it anew', async () => {
    const api = new FakeApi()
    api.balance = 1_000_000
    const state = memoryStateStore()
    const files = Array.from({ length: 150 }, (_, index) => file(`f${index}.bin`, 10 + index, index + 1))
    await clientOf(api, state).put(files, { ...to, pay: false })
    const gone = [...api.items.values()].find(({ name }) => name === 'f7.bin')
    api.items.delete(gone?.id ?? '')
    const first = await clientOf(api, state).put(files, fromBalance)
    expect(first).toMatchObject({ paid: true, failed: [{ path: 'f7.bin', error: { code: 'not_found' } }] })
    const second = await clientOf(api, state).put(files, fromBalance)
    expect(second).toMatchObject({ paid: true, failed: [] })
    expect([...api.items.values()].map(({ status }) => status)).toEqual(Array(150).fill('202 Accepted'))
    expect(api.charges).toBe(2)
  })

  it('an order whose request is settled is paid by one lookup of that, without another request', async () => {
    const api = new FakeApi()
    const state = memoryStateStore()
    const files = Array.from({ length: 3 }, (_, index) => file(`f${index}.bin`, 10 + index))
    await clientOf(api, state).put(files, to)
    const seen: string[] = []
    const settled = {
      ...{ kind: 'request', state: 'settled', address: 'address0', uri: 'coin:address0', blockchain: 'Nativecoin' },
      ...{ paidIn: 'Nativecoin', amount: 0.000003, received: 0.000003, credited: 0, confirmations: 1, createdAt: 1 },
      ...{ expiresAt: 2_000_000_000, settledAt: 1, items: 0, ids: [], names: [], transactions: [] },
      ...{ networkFee: 0.000003, storageFee: 0, transactionCount: null, storedSize: null },
    }
    api.before = ({ method, path }) => {
      seen.push(`${method} ${path}`)
      return path.startsWith('/v0/payment?') ? Response.json(settled) : undefined
    }
    expect(await clientOf(api, state).put(files, to)).toMatchObject({ paid: true, payments: [] })
    expect(seen.filter((request) => /payment/.test(request))).toEqual(['GET /v0/payment?address=address0'])
  })

  it('an order of which others paid a part asks for the rest', async () => {
    const api = new FakeApi()
    const state = memoryStateStore()
    const files = Array.from({ length: 3 }, (_, index) => file(`f${index}.bin`, 10 + index))
    await clientOf(api, state).put(files, { ...to, pay: false })
    const [one] = api.items.values()
    if (one) one.status = '202 Accepted'
    for (const _run of ['first', 'second']) {
      const { payments, paid } = await clientOf(api, state).put(files, to)
      expect({ paid, amounts: payments.map(({ amount }) => amount) }).toEqual({ paid: false, amounts: ['0.000002'] })
    }
  })

  it('command 11: refuses a price above the limit before anything is created, and one that rose before it is paid', async () => {
    const api = new FakeApi()
    const dear = clientOf(api).put(file('a.bin', 10), { ...to, maxFee: '0.00000099' })
    await expect(dear).rejects.toMatchObject({ code: 'too_dear', amount: '0.000001', maxFee: '0.00000099' })
    expect(api.items.size).toBe(0)
    api.before = ({ path }) => {
      if (path === '/v0/payment') api.price = 1000
      return undefined
    }
    const risen = clientOf(api).put(file('a.bin', 10), { ...to, maxFee: '0.000001' })
    await expect(risen).rejects.toMatchObject({ code: 'too_dear', amount: '0.00001' })
    expect(api.charges).toBe(0)
  })

  it('compresses what its chain takes only compressed: estimates what becomes short, refuses the rest by its path, unsent', async () => {
    const api = new FakeApi()
    const limits = {
      maxFileBytes: 100_000,
      maxFiles: 100,
      maxDataBytes: 80,
      confirmations: 2,
      minutes: 10,
      offersIndex: false,
    }
    const target = { ...limits, paidIn: 'Bitcoin', available: true, reason: null }
    const targets = [
      { ...target, blockchain: 'Bitcoin', maxIncompressibleBytes: 100 },
      { ...target, blockchain: 'IPFS', maxIncompressibleBytes: 100_000 },
    ]
    api.before = ({ path, body }) => {
      if (path === '/v0/targets') return Response.json({ targets })
      const large = path === '/v0/estimate' && body.files?.some(({ size }: { size: number }) => size > 100)
      if (!large) return undefined
      return Response.json({ code: 'too_many_transactions', message: 'Too many.', targets: ['IPFS'] }, { status: 422 })
    }
    const noise = { path: 'noise.html', content: new Uint8Array(randomBytes(2000)) }
    const refused = await clientOf(api)
      .put([noise], { ...to, maxFee: '1' })
      .catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'too_many_transactions', details: { targets: ['IPFS'] } })
    expect(String(refused)).toMatch(/noise\.html is too large for Bitcoin: .*IPFS would take it\. Nothing was sent\./)
    expect(api.items.size).toBe(0)
    const page = { path: 'page.html', content: new Uint8Array(2000).fill(65) }
    const stored = await clientOf(api).put([page], { ...to, maxFee: '1' })
    expect([stored.estimate?.amount, api.items.size]).toEqual(['0.000001', 1])
  })

  it('command 12: a dry run prices and sends nothing that creates or moves', async () => {
    const api = new FakeApi()
    const result = await clientOf(api).put([file('a', 10), file('b', 10)], { ...to, dryRun: true })
    expect(result.estimate?.amount).toBe('0.000002')
    expect(api.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /v0/estimate'])
  })

  it('a directory whose files are all known already is gone on with, though its folder is merged', async () => {
    const api = new FakeApi()
    const state = memoryStateStore()
    for (const seed of [3, 5]) api.known.add(sha256Hex(bytes(3000, seed)))
    const files = [file('index.html', 3000, 3), file('a.html', 3000, 5)]
    const options: PutOptions = { to: 'IPFS', directory: 'site', linkKnown: true, pay: false }
    const first = await clientOf(api, state).put(files, options)
    // As the service refuses what is to be added to a merged folder.
    api.before = ({ path }) =>
      path.endsWith('/known') ? Response.json({ code: 'folder_merged', message: 'No.' }, { status: 409 }) : undefined
    const second = await clientOf(api, state).put(files, options)
    expect(second).toMatchObject({ ids: first.ids, linked: ['index.html', 'a.html'], failed: [] })
  })

  it('command 19: neither sends nor pays for files that stored items hold', async () => {
    const api = new FakeApi()
    api.known.add(sha256Hex(bytes(3000, 3)))
    const files = [file('index.html', 1000, 2), file('big.bin', 3000, 3)]
    const result = await clientOf(api).put(files, { to: 'IPFS', directory: 'site', linkKnown: true })
    expect(result.linked).toEqual(['big.bin'])
    expect(api.received).toBe(1000)
    const known = api.requests.find(({ path }) => /folder.*known/.test(path))
    expect(known?.body.files).toEqual([
      { path: 'index.html', size: 1000, sha256: sha256Hex(bytes(1000, 2)) },
      { path: 'big.bin', size: 3000, sha256: sha256Hex(bytes(3000, 3)) },
    ])
  })

  it('command 35: sends slices of known length with their digest, never a stream', async () => {
    const api = new FakeApi()
    const bodies: unknown[] = []
    const client = createClient({
      api: 'https://api.test',
      key: 'hk_test',
      state: memoryStateStore(),
      fetch(url, init) {
        if (init.method === 'PUT') bodies.push(init.body)
        return api.fetch(url, init)
      },
    })
    await client.put({ path: 'a.bin', content: new Blob([bytes(2300)]) }, to)
    expect(bodies).toEqual([expect.any(Uint8Array), expect.any(Uint8Array), expect.any(Uint8Array)])
    const chunks = api.requests.filter(({ method }) => method === 'PUT')
    for (const { path, headers } of chunks) {
      const index = Number(path.split('/').at(-1))
      const slice = bytes(2300).subarray(index * 1000, (index + 1) * 1000)
      const digest = Buffer.from(sha256Hex(slice), 'hex').toString('base64')
      expect(headers.get('Content-Digest')).toBe(`sha-256=:${digest}:`)
    }
  })

  it('waits until everything is stored, and the same call later makes and pays nothing', async () => {
    const api = new FakeApi()
    api.balance = 1_000_000
    const state = memoryStateStore()
    let looks = 0
    api.before = ({ path, method }) => {
      const item = api.items.get(path.split('/')[3] ?? '')
      if (method === 'GET' && item && ++looks === 3) item.status = '200 OK'
      return undefined
    }
    const result = await clientOf(api, state).put(file('a.bin', 10), { ...fromBalance, wait: true })
    expect(result.items).toMatchObject([{ status: '200 OK' }])
    const again = await clientOf(api, state).put(file('a.bin', 10), { ...fromBalance, wait: true })
    expect(again).toMatchObject({ ids: result.ids, paid: true, items: [{ status: '200 OK' }] })
    expect([api.items.size, api.charges]).toEqual([1, 1])
    await clientOf(api, state).put(file('a.bin', 10), { ...fromBalance, anew: true })
    expect([api.items.size, api.charges]).toEqual([2, 2])
  })

  it('leaves the balance alone where nobody said that it pays', async () => {
    const api = new FakeApi()
    api.balance = 1_000_000
    const { paid, payments } = await clientOf(api).put(file('a.bin', 10), { ...to, maxFee: '1' })
    expect({ paid, amounts: payments.map(({ amount }) => amount) }).toEqual({ paid: false, amounts: ['0.000001'] })
    expect(api.charges).toBe(0)
  })

  it.each([
    ['no limit', undefined],
    ['a limit that is no amount', '0,5'],
    ['a limit that is negative', '-1'],
  ])('sends nothing where the balance is to pay with %s', async (_, maxFee) => {
    const api = new FakeApi()
    api.balance = 1_000_000
    const paying = clientOf(api).put(file('a.bin', 10), { ...to, pay: 'balance', maxFee })
    await expect(paying).rejects.toMatchObject({ code: 'invalid_option', message: expect.stringContaining('maxFee') })
    expect(api.requests).toEqual([])
  })

  it.each([
    ['an unknown way to pay', '{"pay":"Balance"}', '{}', 'invalid_option'],
    ['invalid content', '{}', '{"content":5}', 'invalid_files'],
  ])('sends nothing where a program without types gives %s', async (_, options, content, code) => {
    const api = new FakeApi()
    const storing = clientOf(api).put(
      { ...file('a.bin', 10), ...JSON.parse(content) },
      { ...to, ...JSON.parse(options) },
    )
    await expect(storing).rejects.toMatchObject({ name: 'HooklineError', code })
    expect(api.requests).toEqual([])
  })

  it('lets several payments together take no more than the limit, though the price doubles between them', async () => {
    const api = new FakeApi()
    api.balance = 1_000_000
    const files = Array.from({ length: 250 }, (_, index) => file(`f${index}.bin`, 10 + index, index + 1))
    let payments = 0
    api.after = ({ method, path }) => {
      if (method === 'POST' && path === '/v0/payment' && ++payments === 1) api.price = 500
    }
    const { paid } = await clientOf(api)
      .put(files, { ...fromBalance, maxFee: '0.00025' })
      .catch(() => ({ paid: false }))
    expect(paid).toBe(false)
    expect(1_000_000 - api.balance).toBeLessThanOrEqual(25_000)
    expect(api.charges).toBe(1)
  })

  it('counts what a wallet paid towards the limit of what the balance pays', async () => {
    const api = new FakeApi()
    const state = memoryStateStore()
    api.balance = 1_000_000
    const files = Array.from({ length: 250 }, (_, index) => file(`f${index}.bin`, 10 + index, index + 1))
    const { payments } = await clientOf(api, state).put(files, to)
    expect(payments.map(({ amount }) => amount)).toEqual(['0.0002', '0.00005'])
    api.before = ({ method, path }) =>
      method === 'GET' && path === '/v0/payment?address=address0'
        ? Response.json({ ...requestOf('address0'), state: 'settled', received: 0.0002, uri: 'coin:address0' })
        : undefined
    const rest = await clientOf(api, state).put(files, { ...fromBalance, maxFee: '0.00024' })
    expect([rest.paid, api.charges]).toEqual([false, 0])
    const paid = await clientOf(api, state).put(files, { ...fromBalance, maxFee: '0.00025' })
    expect([paid.paid, api.charges]).toEqual([true, 1])
  })

  it.each([
    ['seen whole', 'seen', 0.000001, []],
    ['settled', 'settled', 0.000001, []],
    ['seen in part', 'open', 0.0000004, ['coin:address0?amount=0.0000006']],
    ['not seen', 'open', 0, ['coin:address0?amount=0.000001']],
  ])('shows what is left of a payment that was %s', async (_, state, received, shown) => {
    const api = new FakeApi()
    const left = Math.round((0.000001 - received) * 1e8)
    const uri = `coin:address0${left > 0 ? `?amount=${left === 100 ? '0.000001' : '0.0000006'}` : ''}`
    api.before = ({ method, path }) =>
      method === 'GET' && path === '/v0/payment?address=address0'
        ? Response.json({ ...requestOf('address0'), state, received, uri })
        : undefined
    const links: string[] = []
    const onPayment = ({ uri: link }: PaymentRequest) => void links.push(link)
    const result = await clientOf(api).put(file('a.bin', 10), { ...to, onPayment })
    expect(links).toEqual(shown)
    expect(result.payments.map(({ uri: link }) => link)).toEqual(shown)
    expect(result.paid).toBe(shown.length === 0)
  })
})

const requestOf = (address: string) => ({
  ...{ kind: 'request', address, blockchain: 'Bitcoin', paidIn: 'Bitcoin', expiresAt: 2_000_000_000 },
  ...{ amount: 0.000001, networkFee: 0.000001, storageFee: 0 },
  ...{ credited: 0, confirmations: 1, createdAt: 1, items: 1, ids: [], names: [], transactions: [] },
})
