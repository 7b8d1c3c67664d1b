import { afterAll, expect, it } from 'vitest'
import {
  type Coin,
  type Written,
  writeDoginalFrom,
  writeMultisigStamp,
  writeStamp,
} from '../../devnet/others/transactions-of-others.ts'
import { commitTo, input, transactionOf, writeEnvelope } from '../../devnet/others/write-inscription.ts'
import { concatBytes } from '../../protocol/bytes.ts'
import { encodeTransaction, type Transaction, transactionId } from '../../protocol/transaction.ts'
import { seededRandom } from '../fuzz/mutate.ts'
import { launchBrowser } from '../kit/launch-browser.ts'
import { fill } from './lab.ts'
import { startLyingHost } from './lying-host.ts'
import { mutateTransaction } from './mutate-transaction.ts'

/** `npm run test:large` alters 10,000 transactions, otherwise as many as take some seconds. */
const PAGES = process.env.TEST_LARGE === '1' ? 170 : 6
/** Of each kind on a page. */
const EACH = 16
/** One in so many names is answered truly. */
const TRUE_ONES = 16

const browser = await launchBrowser()
const host = await startLyingHost()
afterAll(async () => {
  await browser.close()
  await host.close()
})

const bytesOf = (text: string) => new TextEncoder().encode(text)
const idOf = (transaction: Transaction) => transactionId(encodeTransaction(transaction, { witness: false }))

/** Two inscriptions in two inputs of one transaction: a host can leave out the first, so that the second gets its number. */
function writeTwo({ txid, vout }: Coin, texts: readonly string[]): Pick<Written, 'transactions' | 'name'> {
  const scripts = texts.map((body) => writeEnvelope({ type: 'text/plain', body }))
  const committed = scripts.map(commitTo)
  const commit = transactionOf(
    [input({ txid, vout })],
    committed.map(({ output }) => output),
  )
  const reveal = transactionOf(
    scripts.map((script, at) =>
      input({ txid: idOf(commit), vout: at }, { witness: [script, committed[at]?.controlBlock ?? script] }),
    ),
  )
  return { transactions: [commit, reveal], name: `${idOf(reveal)}i0` }
}

interface Named {
  blockchain: 'Bitcoin' | 'Dogecoin'
  name: string
  txids: string[]
  /** What may be shown: what its transactions are proven to have. */
  contents: string[]
}

const known = new Map<string, Transaction>()
const names = Array.from({ length: EACH }, (_, index): Named[] => {
  const coin = { txid: 'ab'.repeat(32), vout: index, amount: 1_000_000n, script: Uint8Array.of(0x51) }
  const named = (
    { transactions, name }: Pick<Written, 'transactions' | 'name'>,
    contents: string[],
    blockchain: Named['blockchain'] = 'Bitcoin',
  ) => {
    for (const transaction of transactions) known.set(idOf(transaction), transaction)
    return { blockchain, name, txids: transactions.map(idOf), contents }
  }
  const [first, second, doge, olga, keys] = ['first', 'second', 'doge', 'olga', 'keys'].map(
    (kind) => `${kind} ${index}`,
  )
  const body = bytesOf(String(doge))
  return [
    named(writeTwo(coin, [String(first), String(second)]), [String(first), String(second)]),
    named(writeDoginalFrom(coin, { type: 'text/plain', body, partBytes: 2, partsEach: 2 }), [String(doge)], 'Dogecoin'),
    named(writeStamp(coin, bytesOf(`stamp:${btoa(String(olga))}`)), [String(olga)]),
    named(writeMultisigStamp(coin, bytesOf(String(keys))), [String(keys)]),
  ]
}).flat()

it(`${PAGES * (EACH * 4 - (EACH * 4) / TRUE_ONES)} altered transactions of names show nothing but what these are proven to have`, async () => {
  const transactions = [...known.values()]
  host.page = names
    .map(({ blockchain, name }) => `<p class="${blockchain}" data-mimetype="text/plain" data-src="${name}">mine</p>`)
    .join('')
  let altered = 0
  const outcomes = new Map<string, number>()
  for (let round = 0; round < PAGES; round++) {
    const random = seededRandom(round + 1)
    const lies = new Map<string, Uint8Array>()
    names.forEach(({ txids }, index) => {
      if ((index + round) % TRUE_ONES === 0) return
      const txid = txids[random(txids.length)] ?? ''
      const [own, other] = [known.get(txid), transactions[random(transactions.length)]]
      if (!own || !other) throw new Error('every name has transactions')
      const witness = own.inputs.some(({ witness: items }) => items.length > 0)
      lies.set(txid, mutateTransaction(own, other, witness, random))
      altered++
    })
    host.answer = (txids, witness) =>
      concatBytes(
        txids.map((txid) => {
          const own = known.get(txid)
          return lies.get(txid) ?? (own ? encodeTransaction(own, { witness }) : new Uint8Array(0))
        }),
      )
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(host.url)
    for (const blockchain of ['Bitcoin', 'Dogecoin'] as const) {
      const here = names.filter((named) => named.blockchain === blockchain)
      const filled = await fill(page, blockchain)
      const shown = await page.locator(`p.${blockchain}`).allTextContents()
      here.forEach(({ name, txids, contents }, index) => {
        const outcome = filled[index]?.status
        const isTrue = !txids.some((txid) => lies.has(txid))
        const right = outcome === 'filled' && contents.includes(shown[index] ?? '')
        const refused = outcome === 'failed' && shown[index] === 'mine' && !isTrue
        expect([round, name, outcome, shown[index], right || refused]).toEqual([
          round,
          name,
          outcome,
          shown[index],
          true,
        ])
        const kind = isTrue ? 'true' : (filled[index]?.code ?? 'filled')
        outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1)
      })
    }
    await context.close()
  }
  expect(outcomes.get('true')).toBe(PAGES * names.length - altered)
  // Without this all could be refused for another reason than their bytes.
  expect(outcomes.get('not_verified')).toBeGreaterThan(altered / 2)
}, 1_200_000)
