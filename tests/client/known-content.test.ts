import { describe, expect, it } from 'vitest'
import { createClient, memoryStateStore, type PutFile, type PutOptions } from '../../client/index.ts'
import { FakeApi } from './fake-api.ts'

/** A client that knows nothing of what another one did. */
const put = (api: FakeApi, files: PutFile | PutFile[], options: PutOptions) =>
  createClient({ api: 'https://api.test', key: 'hk_test', fetch: api.fetch, state: memoryStateStore() }).put(
    files,
    options,
  )

function service(): FakeApi {
  const api = new FakeApi()
  api.balance = 1_000_000
  api.knowsItems = true
  return api
}

const file = (path: string, text: string): PutFile => ({ path, content: text.repeat(700) })
const balance = { pay: 'balance', maxFee: '1' } as const
const onBitcoin: PutOptions = { to: 'Bitcoin', ...balance }
const onIpfs: PutOptions = { to: 'IPFS', directory: 'site', ...balance }

describe('what the account has', () => {
  it.each([
    ['a file', file('a.txt', 'one'), onBitcoin, ['a.txt']],
    ['a directory', [file('index.html', 'i'), file('css/a.css', 'css')], onIpfs, ['site']],
  ])(
    'is told, and neither sent nor paid again, without the state of the first time: %s',
    async (_, files, options, known) => {
      const api = service()
      const first = await put(api, files, options)
      const [sent, count] = [api.received, api.items.size]
      const again = await put(api, files, options)
      expect(again).toMatchObject({ ids: first.ids, known, paid: true, failed: [] })
      expect([api.received, api.items.size, api.charges]).toEqual([sent, count, 1])
    },
  )

  it('and waits for its payment is resumed, and made no second time', async () => {
    const api = service()
    const first = await put(api, file('a.txt', 'one'), { to: 'Bitcoin' })
    const again = await put(api, file('b.txt', 'one'), { to: 'Bitcoin' })
    expect(again.ids).toEqual(first.ids)
    expect(again.payments.map(({ address }) => address)).toEqual(first.payments.map(({ address }) => address))
    expect(api.items.size).toBe(1)
  })

  it('is stored anew where that is asked for, of another type, or on another target', async () => {
    const api = service()
    await put(api, file('a.txt', 'one'), onBitcoin)
    await put(api, file('a.txt', 'one'), { ...onBitcoin, anew: true })
    await put(api, { ...file('a.txt', 'one'), mimetype: 'text/html' }, onBitcoin)
    await put(api, file('a.txt', 'one'), { ...onBitcoin, to: 'Dogecoin' })
    expect([api.items.size, api.charges]).toEqual([4, 4])
  })

  it('leaves only the others of several files to be priced, made, sent and paid', async () => {
    const api = service()
    await put(api, file('a.txt', 'one'), onBitcoin)
    const priced: string[][] = []
    const beforeItems = (files: readonly { path: string }[]) => void priced.push(files.map(({ path }) => path))
    const files = [file('b.txt', 'two'), file('a.txt', 'one'), file('c.txt', 'three')]
    const result = await put(api, files, { ...onBitcoin, beforeItems })
    expect(result).toMatchObject({ known: ['a.txt'], paid: true, failed: [] })
    expect(result.ids).toHaveLength(3)
    expect([priced, api.items.size]).toEqual([[['b.txt', 'c.txt']], 3])
  })

  it('counts once: two files of the same content are two items', async () => {
    const api = service()
    await put(api, file('a.txt', 'one'), onBitcoin)
    const { ids, known } = await put(api, [file('a.txt', 'one'), file('copy.txt', 'one')], onBitcoin)
    expect([new Set(ids).size, known.length, api.items.size]).toEqual([2, 1, 2])
  })
})
