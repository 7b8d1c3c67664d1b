import { env } from 'cloudflare:test'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { DeniedKind } from '../../../../contract/states.ts'
import { input, push, writeDoginal } from '../../../../devnet/others/write-inscription.ts'
import { concatBytes, toHex } from '../../../../protocol/bytes.ts'
import { encodeTransaction, type Transaction, transactionId, txidBytes } from '../../../../protocol/transaction.ts'
import { checkpoints } from '../../../../worker/chain/checkpoints.ts'
import { parseDeniedValue } from '../../../../worker/content/denylist/denied-value.ts'
import { expireDenylist } from '../../../../worker/content/denylist/denylist.ts'
import { insertDenied } from '../../../../worker/features/reports/sql/deny.ts'
import { connect, nth, unspent } from '../../../kit/call-devnet.ts'
import { clearMemories } from '../../clear-memories.ts'
import { useDevnet } from '../../use-devnet.ts'
import { get } from '../chain/retrieval/ask.ts'

const chain = useDevnet()
const ANYONE = Uint8Array.of(0x51)
const BODY = 'much doge, in parts of four bytes'

/** Below it is nothing of what the tests mine. */
beforeEach(() => {
  checkpoints.Dogecoin = { height: 0, root: '00'.repeat(32), bits: 0x207fffff, time: 1_700_000_000 }
})
afterEach(() => {
  delete checkpoints.Dogecoin
})

const idOf = (transaction: Transaction) => transactionId(encodeTransaction(transaction, { witness: false }))

/** A transaction whose input 0 has this script, with so many outputs that anybody may spend. */
function spend(spent: { txid: string; vout: number }, script: Uint8Array, outputs = 4): Transaction {
  const made = Array.from({ length: outputs }, () => ({ value: 1000n, script: ANYONE }))
  return { version: 2, inputs: [input(spent, { script })], outputs: made, lockTime: 0 }
}

/** Mines these in a block, and so many empty ones. */
function mine(transactions: readonly Transaction[], after = 0): void {
  chain.call('Dogecoin', 'devmine', [transactions.map((one) => toHex(encodeTransaction(one)))])
  for (let block = 0; block < after; block++) chain.call('Dogecoin', 'devmine', [[]])
}

const used = new Set<string>()

/** A coin that no test has taken. */
function coin() {
  const free = unspent(connect(chain.devnet, 'Dogecoin', '')).filter(({ txid, vout }) => !used.has(`${txid}:${vout}`))
  const taken = nth(free, 0)
  used.add(`${taken.txid}:${taken.vout}`)
  return taken
}

/** The scriptSigs of a doginal of four parts in each transaction. */
const scriptsOf = (body = BODY, partsEach = 4) =>
  writeDoginal('text/plain', new TextEncoder().encode(body), { partBytes: 4, partsEach })

/** The transactions of a doginal, each of which spends the first output of the last one. */
function doginalOf(body = BODY, partsEach = 4): Transaction[] {
  const transactions: Transaction[] = []
  for (const script of scriptsOf(body, partsEach)) {
    const last = transactions.at(-1)
    transactions.push(spend(last ? { txid: idOf(last), vout: 0 } : coin(), script))
  }
  return transactions
}

const unique = () => `${BODY} ${crypto.randomUUID()}`
const nameOf = ([first]: readonly Transaction[]) => `${first && idOf(first)}i0`

async function show(transactions: readonly Transaction[]) {
  const response = await get(`/v0/web/Dogecoin/${nameOf(transactions)}`)
  return response.status === 200 ? await response.text() : await response.json<Incomplete>()
}

interface Incomplete {
  code: string
  message: string
  txids: string[]
  proven?: number
  missing?: number
}

/** The blocks that the node is asked for, until the test ends. */
function watchBlocks(onBlock = () => {}): { read: string[] } {
  const { handle } = chain.devnet
  const read: string[] = []
  vi.spyOn(chain.devnet, 'handle').mockImplementation((name, body, wallet) => {
    const calls: { method: string; params: string[] }[] = [JSON.parse(body)].flat()
    for (const { method, params } of calls) {
      if (method !== 'getblock' || params.length < 2) continue
      read.push(String(params[0]))
      onBlock()
    }
    return handle(name, body, wallet)
  })
  onTestFinished(() => void vi.mocked(chain.devnet.handle).mockRestore())
  return { read }
}

/** As after the half minute for which a search that found too little is not repeated. */
const later = clearMemories

async function deny(kind: DeniedKind, value: string): Promise<void> {
  await insertDenied(env.DB, { ...parseDeniedValue(kind, value), reason: 'test', deniedBy: 'moderator' }, 1)
  expireDenylist()
}

describe('a doginal whose first transaction is named', () => {
  it('is shown with the later ones that blocks have, once each has six headers of work', async () => {
    const body = unique()
    const [first, second, ...rest] = doginalOf(body)
    if (!first || !second) throw new Error('one transaction')
    mine([first], 2)
    mine([second], 1)
    mine(rest, 4)
    const early = await show([first])
    expect(early).toMatchObject({
      code: 'not_complete',
      txids: [first, second, ...rest].map(idOf),
      proven: 2,
      missing: 0,
    })
    expect(early).toMatchObject({
      message: expect.stringContaining(`The next one, ${rest[0] && idOf(rest[0])}, is not`),
    })
    mine([])
    later()
    expect(await show([first])).toBe(body)
  })

  it('needs no node once it was found, and not its own name twice', async () => {
    const body = unique()
    const transactions = doginalOf(body)
    mine(transactions, 5)
    expect(await show(transactions)).toBe(body)
    clearMemories()
    const handle = vi.spyOn(chain.devnet, 'handle')
    onTestFinished(() => handle.mockRestore())
    const response = await get(`/v0/web/Dogecoin/${nameOf(transactions)}`)
    expect([response.headers.get('Server-Timing'), await response.text()]).toEqual([
      expect.stringContaining('r2'),
      body,
    ])
    expect(await (await get(`/v0/web/Dogecoin/${transactions.map(idOf).join('+')}i0`)).text()).toBe(body)
    expect(handle).not.toHaveBeenCalled()
  })

  it('passes over who spends it and does not go on, and takes the first who does', async () => {
    const body = unique()
    const [one = ANYONE, two = ANYONE, three = ANYONE, ...more] = scriptsOf(body)
    const first = spend(coin(), one, 6)
    const at = (vout: number) => ({ txid: idOf(first), vout })
    // A copy of the part after the next, one of other data behind the number that was, a script that is none, and a payment.
    const passed = [three, one, Uint8Array.of(0x76), new Uint8Array(0)].map((script, vout) => spend(at(vout), script))
    const second = spend(at(4), two)
    const forged = spend(at(5), two.with(-1, (two.at(-1) ?? 0) ^ 1))
    mine([first, ...passed, second, forged])
    const third = spend({ txid: idOf(second), vout: 2 }, three)
    const rest: Transaction[] = []
    for (const script of more) rest.push(spend({ txid: idOf(rest.at(-1) ?? third), vout: 1 }, script))
    mine([third, ...rest], 5)
    expect(await show([first])).toBe(body)
  })

  it('goes on in the block of the last one and the twelve after it, and in no later one', async () => {
    const body = unique()
    const [first, ...rest] = doginalOf(body)
    if (!first) throw new Error('none')
    mine([first], 11)
    mine(rest, 5)
    expect(await show([first])).toBe(body)
    const [other, ...late] = doginalOf(unique())
    if (!other) throw new Error('none')
    mine([other], 12)
    mine(late, 5)
    const missed = await show([other])
    expect(missed).toMatchObject({ code: 'not_complete', txids: [idOf(other)], proven: 1 })
    expect(missed).toMatchObject({ message: expect.stringContaining(`hookline find ${idOf(other)}i0`) })
    // That is kept, since the thirteenth block has six headers.
    clearMemories()
    const { read } = watchBlocks()
    expect(await show([other])).toEqual(missed)
    expect(read).toEqual([])
  })

  it('that is missed is searched for again until the thirteenth block is there', async () => {
    const body = unique()
    const [first, ...rest] = doginalOf(body)
    if (!first) throw new Error('none')
    mine([first], 8)
    expect(await show([first])).toMatchObject({
      code: 'not_complete',
      message: expect.stringContaining('No block has'),
    })
    later()
    mine(rest, 5)
    const { read } = watchBlocks()
    expect(await show([first])).toBe(body)
    // The four blocks that had six headers were not read again.
    expect(read).toHaveLength(6)
  })

  it('forgets what a block had that another one has replaced', async () => {
    const body = unique()
    const [one = ANYONE, two = ANYONE, ...more] = scriptsOf(body, 9)
    expect(more).toEqual([])
    const first = spend(coin(), one)
    mine([first], 8)
    const forged = spend({ txid: idOf(first), vout: 0 }, two.with(-1, 0x21))
    mine([forged], 4)
    expect(await show([first])).toMatchObject({ code: 'not_complete', txids: [idOf(first), idOf(forged)], proven: 1 })
    const tip = Number(chain.call('Dogecoin', 'getblockcount'))
    chain.call('Dogecoin', 'invalidateblock', [chain.call('Dogecoin', 'getblockhash', [tip - 4])])
    const second = spend({ txid: idOf(first), vout: 0 }, two)
    mine([second], 6)
    later()
    expect(await show([first])).toBe(body)
  })

  it('is not shown, and not searched for, without a checkpoint', async () => {
    const transactions = doginalOf(unique())
    mine(transactions, 5)
    delete checkpoints.Dogecoin
    const { read } = watchBlocks()
    const [first] = transactions
    expect(await show(transactions)).toMatchObject({
      code: 'not_complete',
      message: expect.stringContaining('no checkpoint'),
      txids: [first && idOf(first)],
      proven: 1,
    })
    expect(read).toEqual([])
  })

  it('is not shown where the work is less than a quarter of the checkpoint', async () => {
    const transactions = doginalOf(unique())
    mine(transactions, 5)
    checkpoints.Dogecoin = { height: 0, root: '00'.repeat(32), bits: 0x1d00ffff, time: 1_700_000_000 }
    expect(await show(transactions)).toMatchObject({ code: 'not_complete', proven: 1, missing: 0 })
  })

  it('that is a delegate is followed too', async () => {
    const body = unique()
    const transactions = doginalOf(body)
    mine(transactions, 5)
    const [first] = transactions
    const delegate = first ? idOf(first) : ''
    const [script = ANYONE] = writeDoginal('text/html', new Uint8Array(1), { partBytes: 1, partsEach: 1 })
    const follow = spend(coin(), concatBytes([script, push(Uint8Array.of(11)), push(txidBytes(delegate))]))
    mine([follow])
    expect(await show([follow])).toBe(body)
    clearMemories()
    expect(await show([follow])).toBe(body)
    const [, second] = transactions
    await deny('txid', second ? idOf(second) : '')
    expect((await get(`/v0/web/Dogecoin/${nameOf([follow])}`)).status).toBe(451)
  })

  it('is denied by each of its txids, and by the hash of its bytes', async () => {
    const shown: [DeniedKind, string, Transaction[]][] = []
    for (const at of [0, 1, 2]) {
      const transactions = doginalOf(unique())
      const denied = transactions[at]
      shown.push(['txid', denied ? idOf(denied) : '', transactions])
    }
    const body = unique()
    const digest = await sha256.digest(new TextEncoder().encode(body))
    shown.push(['cid', CID.createV1(raw.code, digest).toString(), doginalOf(body)])
    for (const [, , transactions] of shown) mine(transactions)
    mine([], 5)
    for (const [kind, value, transactions] of shown) {
      expect(typeof (await show(transactions))).toBe('string')
      await deny(kind, value)
      for (const forget of [() => undefined, clearMemories]) {
        forget()
        const response = await get(`/v0/web/Dogecoin/${nameOf(transactions)}`)
        expect([kind, response.status]).toEqual([kind, 451])
      }
    }
  })

  it('is described with all of its bytes on the host of the chain', async () => {
    const body = unique()
    const transactions = doginalOf(body)
    mine(transactions, 5)
    const { exports } = await import('cloudflare:workers')
    const url = `https://dogecoin.storage.example/r/inscription/${nameOf(transactions)}`
    const response = await exports.default.fetch(new Request(url))
    expect(await response.json()).toMatchObject({ content_type: 'text/plain', content_length: body.length })
  })
})

describe('the transactions of a doginal', () => {
  const read = async (name: string) => {
    const response = await get(`/v0/tx/Dogecoin/${name}`)
    return [response.status, response.headers.get('Cache-Control'), toHex(new Uint8Array(await response.arrayBuffer()))]
  }
  const hexOf = (transactions: readonly Transaction[]) =>
    transactions.map((one) => toHex(encodeTransaction(one))).join('')

  it('follow the one that is named, as far as they are proven', async () => {
    const transactions = doginalOf(unique())
    mine(transactions, 2)
    const [first] = transactions
    const txid = first ? idOf(first) : ''
    expect(await read(`${txid}?any=1&parts=1`)).toEqual([200, 'no-store', hexOf(transactions.slice(0, 1))])
    mine([], 3)
    later()
    const kept = 'public, max-age=31536000, immutable, no-transform'
    expect(await read(`${txid}?any=1&parts=1`)).toEqual([200, kept, hexOf(transactions)])
    expect(await read(`${txid}?any=1`)).toEqual([200, kept, hexOf(transactions.slice(0, 1))])
  })

  it('are 451 where a later one is denied, and 400 for several', async () => {
    const transactions = doginalOf(unique())
    mine(transactions, 5)
    const [first = '', second = ''] = transactions.map(idOf)
    expect((await read(`${first},${second}?any=1&parts=1`))[0]).toBe(400)
    await deny('txid', second)
    expect((await read(`${first}?any=1&parts=1`))[0]).toBe(451)
  })
})

describe('a search', () => {
  it('R32: reads at most 120 blocks, however many spend what it looks for', async () => {
    const scripts = scriptsOf('x'.repeat(4 * 40), 1)
    const transactions: Transaction[] = []
    for (const script of scripts.slice(0, 12)) {
      const last = transactions.at(-1)
      const next = spend(last ? { txid: idOf(last), vout: 0 } : coin(), script, 50)
      const passed = Array.from({ length: last ? 49 : 0 }, (_, at) =>
        spend({ txid: last ? idOf(last) : '', vout: at + 1 }, scripts[20] ?? ANYONE, 1),
      )
      mine([...passed, next], 11)
      transactions.push(next)
    }
    const { read } = watchBlocks()
    const answer = await show(transactions)
    expect(answer).toMatchObject({
      code: 'not_complete',
      txids: transactions.slice(0, 10).map(idOf),
      message: expect.stringContaining('The blocks that are searched do not have'),
    })
    expect(new Set(read).size).toBe(120)
    expect(read).toHaveLength(120)
  })

  it('R32: that takes too long goes on with the next request', async () => {
    const [first, ...rest] = doginalOf(unique())
    if (!first) throw new Error('none')
    mine([first], 11)
    mine(rest, 5)
    const start = Date.now()
    let ahead = 0
    vi.mocked(Date.now).mockImplementation(() => start + ahead)
    onTestFinished(() => void vi.mocked(Date.now).mockReturnValue(start))
    const { read } = watchBlocks(() => {
      ahead += 1000
    })
    const path = `/v0/web/Dogecoin/${idOf(first)}i0`
    const statuses: number[] = []
    for (let time = 0; time < 4; time++) statuses.push((await get(path)).status)
    expect(statuses).toEqual([503, 503, 503, 200])
    expect(new Set(read).size).toBe(read.length)
  })

  /** Holds the blocks of the node back until the returned function is called. */
  function holdBlocks(): () => void {
    const ask = vi.mocked(globalThis.fetch).getMockImplementation()
    if (!ask) throw new Error('no node')
    let isHeld = true
    vi.mocked(globalThis.fetch).mockImplementation(async (...request) => {
      // A request of another object must not wait for a promise of this one.
      while (isHeld && String(request[1]?.body).includes('"getblock"')) await scheduler.wait(5)
      return await ask(...request)
    })
    onTestFinished(() => void vi.mocked(globalThis.fetch).mockImplementation(ask))
    return () => {
      isHeld = false
    }
  }

  /** Asks for each of these doginals; `statuses` are of those that were answered, in that order. */
  function askForAll(all: readonly (readonly Transaction[])[], headers: Record<string, string> = {}) {
    const statuses: number[] = []
    const asked = all.map(async (transactions) => {
      const response = await get(`/v0/web/Dogecoin/${nameOf(transactions)}`, { headers })
      statuses.push(response.status)
      await response.text()
    })
    return { statuses, ended: Promise.all(asked) }
  }

  it('R32: waits for at most sixteen others', async () => {
    const all = Array.from({ length: 20 }, () => doginalOf(unique()))
    mine(all.flat(), 5)
    const release = holdBlocks()
    const { statuses, ended } = askForAll(all)
    await expect.poll(() => statuses.length).toBe(3)
    release()
    await ended
    expect(statuses.sort()).toEqual([...Array.from({ length: 17 }, () => 200), 503, 503, 503])
  })

  it('R32: is refused to a client that has eight others, and to nobody else', async () => {
    const all = Array.from({ length: 11 }, () => doginalOf(unique()))
    mine(all.flat(), 5)
    const release = holdBlocks()
    const one = askForAll(all.slice(1), { 'CF-Connecting-IP': '192.0.2.31' })
    await expect.poll(() => one.statuses).toEqual([503, 503])
    const other = askForAll(all.slice(0, 1), { 'CF-Connecting-IP': '192.0.2.32' })
    release()
    await Promise.all([one.ended, other.ended])
    expect(other.statuses).toEqual([200])
    expect(one.statuses.slice(2)).toEqual(Array.from({ length: 8 }, () => 200))
  })

  it('R32: is one for all who ask for the same, and runs alone on its chain', async () => {
    const all = Array.from({ length: 4 }, () => doginalOf(unique()))
    for (const transactions of all) mine(transactions, 1)
    mine([], 5)
    const { read } = watchBlocks()
    const answers = await Promise.all([...all, ...all, ...all].map(show))
    expect(answers.every((answer) => typeof answer === 'string')).toBe(true)
    expect(new Set(read).size).toBe(read.length)
  })
})
