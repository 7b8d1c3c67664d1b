import { env } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { parseAmount } from '../../../../protocol/amount.ts'
import { STORAGE_TARGETS, type StorageTarget } from '../../../../protocol/chains.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { fetchApi } from '../../fetch-api.ts'
import { useDevnet } from '../../use-devnet.ts'
import { uploadItem } from '../items/api.ts'
import { askPayment, mergedItem, newUser } from './pay-for-items.ts'

const chain = useDevnet()

const estimate = (blockchain: StorageTarget, sizes: number[], directory = false) =>
  fetchApi('POST', '/v0/estimate', {
    body: {
      blockchain,
      ...(directory && { directory }),
      files: sizes.map((size) => ({ size, mimetype: 'text/plain' })),
    },
  })

/** Bytes that no compression makes shorter. */
function noise(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  for (let start = 0; start < size; start += 65_536) crypto.getRandomValues(bytes.subarray(start, start + 65_536))
  return bytes
}

describe('POST /v0/estimate', () => {
  it.each([
    ['Nativecoin', [0, 1, 700, 300_000]],
    ['Dogecoin', [0, 1, 79, 2_000]],
    ['Bitcoin', [0, 1, 80, 2_000]],
    ['IPFS', [0, 1, 4_000, 3_500_000]],
  ] as const)('is never below what a request for the same files asks on %s', async (blockchain, sizes) => {
    const { api } = await newUser()
    const ids: string[] = []
    for (const size of sizes) ids.push(await mergedItem(api, blockchain, noise(size)))
    const asked = await askPayment(api, ids, blockchain)
    expect(asked.status).toBe(402)
    const response = await estimate(blockchain, [...sizes])
    expect(response.status).toBe(200)
    const { amount } = await response.json<{ amount: number }>()
    expect(parseAmount(String(amount))).toBeGreaterThanOrEqual(parseAmount(String(asked.amount)))
  })

  it.each([
    ['Nativecoin', [0, 1, 700, 1_100_000]],
    ['Bitcoin', [0, 80, 2_000]],
    ['IPFS', [0, 1, 4_000, 1_100_000]],
  ] as const)(
    'of a directory is that of one item, and never below what a request for it asks on %s',
    async (to, sizes) => {
      const { api } = await newUser()
      const folder = async (name: string, parent?: string) => {
        const made = await api.sendJson('POST', '/folder', { name, blockchain: to, ...(parent && { parent }) })
        return (await made.json<{ id: string }>()).id
      }
      const root = await folder('site')
      const below = await folder('images', root)
      for (const [index, size] of sizes.entries()) {
        await uploadItem(api, noise(size), { name: `${index}.bin`, blockchain: to, folder: index % 2 ? below : root })
      }
      let merged = await api.send('POST', `/folder/${root}/merge`)
      for (; merged.status === 202; merged = await api.send('POST', `/folder/${root}/merge`)) await scheduler.wait(100)
      const { id } = await merged.json<{ id: string }>()
      const asked = await askPayment(api, [id], to)
      expect(asked.status).toBe(402)
      const response = await estimate(to, [...sizes], true)
      const { amount } = await response.json<{ amount: number }>()
      expect(parseAmount(String(amount))).toBeGreaterThanOrEqual(parseAmount(String(asked.amount)))
    },
  )

  it('422: a directory that is too large for a chain together, naming IPFS, and one of too many files', async () => {
    const large = await estimate('Nativecoin', [9_000_000, 9_000_000], true)
    expect(large.status).toBe(422)
    expect(await large.json()).toMatchObject({
      targets: ['IPFS'],
      message: expect.stringMatching(/^The folder .*IPFS/),
    })
    const many = await estimate('IPFS', new Array<number>(2_001).fill(1), true)
    expect([many.status, (await many.json<{ code: string }>()).code]).toEqual([422, 'too_many_files'])
    expect((await estimate('IPFS', new Array<number>(2_000).fill(1), true)).status).toBe(200)
  })

  it('is the sum of its parts, to the last base unit', async () => {
    const response = await estimate('Nativecoin', [10])
    const text = await response.text()
    const part = (name: string) => parseAmount(new RegExp(`"${name}":([0-9.]+)`).exec(text)?.[1] ?? '0')
    expect(part('amount')).toBe(part('networkFee') + part('storageFee') + part('dustFee'))
    expect(JSON.parse(text)).toMatchObject({ blockchain: 'Nativecoin', paidIn: 'Nativecoin', transactions: 1 })
  })

  it('takes 10,000 files, and says of each more what is wrong', async () => {
    const many = new Array<number>(10_000).fill(20)
    const response = await estimate('Bitcoin', many)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ transactions: 10_000 })
    expect((await estimate('Bitcoin', [...many, 20])).status).toBe(400)
    expect((await estimate('Bitcoin', [])).status).toBe(400)
    const wrong = await estimate('Bitcoin', [0, -1])
    expect(wrong.status).toBe(400)
    expect((await wrong.json<{ message: string }>()).message).toMatch(/^files\[1\]\.size must be/)
  })

  it('400: a media type that is no text', async () => {
    const wrong = await fetchApi('POST', '/v0/estimate', {
      body: { blockchain: 'Bitcoin', files: [{ size: 1, mimetype: {} }] },
    })
    expect(wrong.status).toBe(400)
    expect(await wrong.json()).toMatchObject({ message: expect.stringMatching(/^files\[0\]\.mimetype/) })
  })

  it('422: a file that the target does not take', async () => {
    const response = await estimate('Bitcoin', [2 ** 40])
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ code: 'content_too_large' })
  })

  it('422: what takes more than 15,000 transactions if it cannot be compressed, with the targets that would take it', async () => {
    const response = await estimate('Bitcoin', [10, 5_000_000])
    expect(response.status).toBe(422)
    expect(await response.json()).toEqual({
      code: 'too_many_transactions',
      message:
        'files[1] takes 62501 transactions on Bitcoin if it cannot be compressed; 15000 are the most. Nativecoin and IPFS would take it.',
      targets: ['Nativecoin', 'IPFS'],
    })
  })

  it('takes of each target as much as it says, and not a byte more', async () => {
    const { targets } = await (await fetchApi('GET', '/v0/targets')).json<{
      targets: { blockchain: StorageTarget; maxIncompressibleBytes: number }[]
    }>()
    for (const { blockchain, maxIncompressibleBytes: most } of targets) {
      const statuses = [(await estimate(blockchain, [most])).status, (await estimate(blockchain, [most + 1])).status]
      expect([blockchain, ...statuses]).toEqual([blockchain, 200, 422])
    }
    expect(targets.find(({ blockchain }) => blockchain === 'Bitcoin')?.maxIncompressibleBytes).toBe(1_199_995)
  })

  it('may be asked by any page', async () => {
    const response = await fetchApi('OPTIONS', '/v0/estimate', {
      headers: { Origin: 'https://page.example', 'Access-Control-Request-Method': 'POST' },
    })
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
  })
})

describe('GET /v0/targets', () => {
  const read = async () => {
    const response = await fetchApi('GET', '/v0/targets')
    expect(response.status).toBe(200)
    const { targets } = await response.json<{
      targets: { blockchain: string; available: boolean; reason: unknown; maxFileBytes: number }[]
    }>()
    return targets
  }

  it('says of all four what they take, and that they can be had', async () => {
    const targets = await read()
    expect(targets.map(({ blockchain }) => blockchain)).toEqual([...STORAGE_TARGETS])
    expect(targets.find(({ blockchain }) => blockchain === 'Bitcoin')).toEqual({
      blockchain: 'Bitcoin',
      available: true,
      reason: null,
      paidIn: 'Bitcoin',
      maxFileBytes: expect.any(Number),
      maxIncompressibleBytes: expect.any(Number),
      maxFiles: 10_000,
      maxDataBytes: 80,
      offersIndex: false,
      confirmations: 2,
      minutes: 30,
    })
    expect(targets.find(({ blockchain }) => blockchain === 'IPFS')).toMatchObject({
      paidIn: 'Nativecoin',
      maxFiles: 2000,
      maxDataBytes: null,
      minutes: 30,
    })
    const { maxItemBytes, maxDecodedBytes } = readConfig(env)
    expect(maxDecodedBytes).toBeLessThan(maxItemBytes)
    expect(targets.map(({ maxFileBytes }) => maxFileBytes)).toEqual([
      ...new Array(3).fill(maxDecodedBytes),
      maxItemBytes,
    ])
  })

  it('says why one cannot be had, once what was known is some seconds old; and no estimate is made up', async () => {
    const later = Date.now() + 60_000
    vi.spyOn(Date, 'now').mockReturnValue(later)
    chain.breakNodes(true)
    const targets = await read()
    expect(targets.map(({ available }) => available)).toEqual([false, false, false, false])
    expect(targets[0]?.reason).toMatch(/^Payment with Nativecoin is unavailable/)
    const response = await estimate('Nativecoin', [1])
    expect(response.status).toBe(503)
    expect(response.headers.get('Retry-After')).not.toBeNull()
    await response.body?.cancel()
    chain.breakNodes(false)
  })
})
