import { expect, it } from 'vitest'
import { findDoginal } from '../../cli/read/find-doginal.ts'
import type { NodeBlocks } from '../../cli/read/node-blocks.ts'
import { writeDoginalFrom } from '../../devnet/others/transactions-of-others.ts'
import { input, push, transactionOf } from '../../devnet/others/write-inscription.ts'
import { concatBytes } from '../../protocol/bytes.ts'
import { encodeTransaction, type Transaction, transactionId } from '../../protocol/transaction.ts'
import { ApiServer } from './api-server.ts'
import { type BlockChain, blockNode, FIRST_HEIGHT } from './block-node.ts'
import { User } from './run-hookline.ts'

const COIN = { txid: 'c0'.repeat(32), vout: 0, amount: 100_000_000n, script: Uint8Array.of(0x51) }
const NOBODY = 'http://127.0.0.1:1'

const idOf = (transaction: Transaction) => transactionId(encodeTransaction(transaction))

/** A doginal of as many transactions, with one part each. */
function doginalOf(count: number) {
  const body = Uint8Array.from({ length: count }, (_, index) => index)
  const { transactions, name } = writeDoginalFrom(COIN, { type: 'a/b', body, partBytes: 1, partsEach: 1 })
  const [first] = transactions
  if (!first) throw new Error('there is no transaction')
  return { transactions, name, first, txid: idOf(first) }
}

const THREE = doginalOf(3)
const [ONE, TWO, LAST] = [transactionAt(0), transactionAt(1), transactionAt(2)]
function transactionAt(index: number): Transaction {
  const transaction = THREE.transactions[index]
  if (!transaction) throw new Error('there is no such transaction')
  return transaction
}
const spenderOf = (spent: Transaction, script: Uint8Array) =>
  transactionOf([input({ txid: idOf(spent), vout: 0 }, { script })])
const empty = (count: number): Transaction[][] => Array.from({ length: count }, () => [])

/** A user with such a node, who knows of no service. */
async function start(chain: BlockChain) {
  const node = await ApiServer.start([blockNode(chain)])
  return { node, user: new User(NOBODY, { HOOKLINE_NODE: node.url }) }
}

const find = (txid: string) => ['find', `${txid}i0`, '--chain', 'Dogecoin']

it('find prints the name of a doginal with its transactions of one block and of later ones, and says its progress', async () => {
  const { user } = await start({ blocks: [[ONE, TWO], ...empty(11), [LAST]] })
  const ran = await user.run(find(THREE.txid))
  expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: `${THREE.name}\n` })
  expect(ran.stderr).toContain('searching  1 of 3 parts')
  expect(ran.stderr).toContain('searching  3 of 3 parts, done')
})

it('find gives an object with --json, and reads the name from stdin', async () => {
  const { user } = await start({ blocks: [[ONE], [TWO], [LAST]] })
  const { document } = await user.json(['find', '-'], { input: `${THREE.txid}i0\n` })
  const txids = THREE.transactions.map(idOf)
  expect(document).toMatchObject({ ok: true, result: { blockchain: 'Dogecoin', name: THREE.name, txids, parts: 3 } })
})

it('find passes over other spenders: with a later part, without one, of another input, and the second with the right part', async () => {
  const [script = new Uint8Array(0)] = TWO.inputs.map((one) => one.script)
  const others = [
    spenderOf(ONE, LAST.inputs[0]?.script ?? new Uint8Array(0)),
    spenderOf(ONE, push('other')),
    transactionOf([input({ txid: 'ab'.repeat(32), vout: 0 }), input({ txid: idOf(ONE), vout: 0 }, { script })]),
  ]
  const second = spenderOf(ONE, concatBytes([Uint8Array.of(0x51), push('forged')]))
  const { user } = await start({ blocks: [[ONE, ...others], [TWO, second], [LAST]] })
  expect(await user.run(find(THREE.txid))).toMatchObject({ code: 0, stdout: `${THREE.name}\n` })
})

it('find takes a transaction that spends another output than the first', async () => {
  const script = LAST.inputs[0]?.script ?? new Uint8Array(0)
  const last = transactionOf([input({ txid: idOf(TWO), vout: 7 }, { script })])
  const { user } = await start({ blocks: [[ONE], [TWO], [last]] })
  const name = `${[ONE, TWO, last].map(idOf).join('+')}i0`
  expect(await user.run(find(THREE.txid))).toMatchObject({ code: 0, stdout: `${name}\n` })
})

it('find says of a single transaction that its name is as it is, mined or not', async () => {
  const { first, name, txid } = doginalOf(1)
  for (const chain of [{ blocks: [[first]] }, { blocks: [[]], waiting: [first] }]) {
    const { user } = await start(chain)
    const ran = await user.run(find(txid))
    expect(ran).toMatchObject({ code: 0, stdout: `${name}\n` })
    expect(ran.stderr).toContain('its name is as it is')
  }
})

it('find says how many parts were found where no transaction of the next 12 blocks goes on', async () => {
  const { user } = await start({ blocks: [[ONE], [TWO], ...empty(12), [LAST]] })
  const { document } = await user.json(find(THREE.txid))
  const message = `Of 3 parts 2 were found, in 2 transactions. No transaction of block ${FIRST_HEIGHT + 1} and the 12 after it goes on behind ${idOf(TWO)}.`
  expect(document).toMatchObject({ exitCode: 5, error: { code: 'not_complete', message } })
})

it('find is pending while the next part, or the first, may still be mined', async () => {
  const ended = await (await start({ blocks: [[ONE], []], waiting: [TWO] })).user.json(find(THREE.txid))
  expect(ended.document).toMatchObject({ exitCode: 8, error: { code: 'pending' } })
  expect(ended.document.error.message).toBe(
    `Of 3 parts 1 was found, in 1 transaction. The chain of the node ends at block ${FIRST_HEIGHT + 1}.`,
  )
  const waiting = await (await start({ blocks: [[]], waiting: [ONE] })).user.json(find(THREE.txid))
  expect(waiting.document).toMatchObject({ exitCode: 8, error: { code: 'pending' } })
  expect(waiting.document.error.message).toContain(`${THREE.txid} is not mined yet`)
})

it('find refuses what is no doginal, and a txid that the node does not have', async () => {
  const other = spenderOf(ONE, push('other'))
  const { user } = await start({ blocks: [[other]] })
  const none = await user.json(find(idOf(other)))
  expect(none.document).toMatchObject({ exitCode: 5, error: { code: 'no_such_inscription' } })
  const absent = await user.json(find('ab'.repeat(32)))
  expect(absent.document).toMatchObject({ exitCode: 5, error: { code: 'not_found' } })
})

it.each([
  ['getrawtransaction', -5, 'No such mempool transaction. Use -txindex to enable it.', 'start it with -txindex'],
  ['getblock', -1, 'Block not available (pruned data)', 'ask one that is not pruned'],
  ['getblockhash', -28, 'Loading block index...', 'Loading block index'],
])('find says what a node lacks that refuses %s with %i "%s"', async (method, code, message, says) => {
  const { user } = await start({ blocks: [[ONE], [TWO], [LAST]], refusals: { [method]: { code, message } } })
  const ran = await user.run(find(THREE.txid))
  expect(ran).toMatchObject({ code: 7, stdout: '' })
  expect(ran.stderr).toContain(says)
})

it('find asks nobody for a name that is none of a first transaction, another chain, or without a node', async () => {
  const { user, node } = await start({ blocks: [[ONE]] })
  const wrong = [THREE.txid, `${THREE.txid}i1`, THREE.name, `stamp:${THREE.txid}`]
  for (const name of wrong) expect((await user.run(['find', name])).code).toBe(2)
  expect((await user.run(['find', `${THREE.txid}i0`, '--chain', 'bitcoin'])).code).toBe(2)
  const ran = await user.run(find(THREE.txid), { env: { HOOKLINE_NODE: undefined } })
  expect(ran.code).toBe(2)
  expect(ran.stderr).toContain('HOOKLINE_NODE is not set')
  expect(node.seen).toEqual([])
})

/** The blocks of a node, and how many were read. */
function blocksOf(blocks: readonly Transaction[][]) {
  const read: number[] = []
  const node: NodeBlocks = {
    async transaction(txid) {
      const transaction = blocks.flat().find((one) => idOf(one) === txid)
      if (!transaction) throw new Error('there is no such transaction')
      return { transaction, height: blocks.findIndex((block) => block.includes(transaction)) }
    },
    async block(height) {
      read.push(height)
      return blocks[height]
    },
  }
  return { node, read }
}

it('at most 120 blocks are searched', async () => {
  const { transactions, txid } = doginalOf(12)
  const blocks = transactions.flatMap((transaction) => [[transaction], ...empty(11)])
  const { node, read } = blocksOf(blocks)
  const failure = findDoginal(txid, node, () => undefined)
  await expect(failure).rejects.toMatchObject({
    code: 'not_complete',
    message: 'Of 12 parts 10 were found, in 10 transactions. 120 blocks were searched, from 0 on, and no more are.',
  })
  expect(read).toHaveLength(120)
})

it('a doginal of 120 transactions is found, and of 121 is not, since no name has as many', async () => {
  const most = doginalOf(120)
  const found = await findDoginal(most.txid, blocksOf([most.transactions]).node, () => undefined)
  expect(`${found.txids.join('+')}i0`).toBe(most.name)
  const more = doginalOf(121)
  await expect(findDoginal(more.txid, blocksOf([more.transactions]).node, () => undefined)).rejects.toMatchObject({
    message: 'Of 121 parts 120 were found, in 120 transactions. A name has at most 120 transactions.',
  })
})

it('a chain that changed between two calls is a failure that may pass', async () => {
  const { node } = blocksOf([[ONE]])
  const changed = { ...node, block: async () => [] }
  await expect(findDoginal(THREE.txid, changed, () => undefined)).rejects.toMatchObject({ code: 'unavailable' })
})
