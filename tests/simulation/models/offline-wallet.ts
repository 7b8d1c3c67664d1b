import { Node } from '../../../devnet/node.ts'
import { NODE_SETTINGS } from '../../../devnet/node-settings.ts'
import { callMethod } from '../../../devnet/rpc/handle-rpc.ts'
import { formatAmount } from '../../../protocol/amount.ts'
import { listPsbts } from '../../../worker/features/cold/list-psbts.ts'
import { returnPsbt } from '../../../worker/features/cold/return-psbt.ts'
import { mine } from '../mine.ts'
import { watchMempool } from '../note-history.ts'
import { contextOf, requestApi } from '../run-service.ts'
import { faucetCoin, spend } from '../spend.ts'
import type { Model, World } from '../world.ts'

/** The machine that is offline has the private key of the address: a node that is never connected. */
const offline = new Node({ settings: NODE_SETTINGS.Dogecoin, now: () => 0, seed: 'offline' })
const cold = String(callMethod(offline, 'getnewaddress', []))

/** A raw transaction as it is handed out. */
interface Handed {
  id: string
  hex: string
  prevtxs: { txid: string; vout: number; scriptPubKey: string; amount: string }[]
}

/** What operators have had shown, in each world: they may send it whatever the database is restored to. */
const shown = new WeakMap<World, Map<string, Handed>>()

/**
 * Withdrawals are paid from an address whose private key is offline. Operators return what they have signed, send it themselves, or
 * spend its coin otherwise. On Dogecoin: there the only wallet watches the address.
 */
export const offlineWallet: Model = {
  money: true,
  chain: 'Dogecoin',
  settings: () => ({ COLD_ADDRESS_DOGECOIN: cold }),
  begin(world) {
    watch(world)
    for (let count = world.random.integer(1, 4); count > 0; count--) {
      const coin = faucetCoin(world)
      const most = Math.floor(Number(coin?.amount ?? 0)) - 50
      if (coin) spend(world, coin, { [cold]: String(world.random.integer(10, most)) }, 30n)
    }
    mine(world, 7)
  },
  happen() {},
  acts(world) {
    const { random } = world
    const kind = random.integer(0, 9)
    if (kind <= 5) return [() => giveBack(world, random.chance(0.5) ? 1 : 100)]
    if (kind === 6 || kind === 8) sendByHand(world)
    if (kind === 7 && random.chance(0.6)) spendOtherwise(world, pickShown(world))
    return []
  },
  calm(world) {
    watch(world)
    const wallet = world.node.wallets.get('')
    if (wallet) world.node.rescan(wallet, 0)
  },
  round(world) {
    for (const handed of shownOf(world).values()) if (isEnding(world, handed.id)) spendOtherwise(world, handed)
    return [() => giveBack(world, 100)]
  },
}

/** Another wallet that stands in the place of the first has to watch the address, too. */
function watch(world: World): void {
  world.call('importaddress', [cold, 'cold', false], '')
}

function shownOf(world: World): Map<string, Handed> {
  const known = shown.get(world) ?? new Map<string, Handed>()
  shown.set(world, known)
  return known
}

function pickShown(world: World): Handed | undefined {
  return world.random.pick([...shownOf(world).values()])
}

function sign({ hex, prevtxs }: Handed): string {
  return String(Object(callMethod(offline, 'signrawtransaction', [hex, prevtxs, null, 'ALL'])).hex)
}

/** Operators look at what waits for signatures, and return so many of it signed. */
async function giveBack(world: World, most: number): Promise<void> {
  await requestApi(world, async () => {
    const listed: Handed[] = JSON.parse(await listPsbts(world.d1)).psbts
    for (const handed of listed) shownOf(world).set(handed.id, handed)
    for (const handed of listed.slice(0, most)) {
      world.stage.log.push(`operator: returns what pays ${handed.id}`)
      await requestApi(world, () => returnPsbt(contextOf(world), handed.id, { hex: sign(handed) }, () => []))
    }
  })
}

/** An operator has the node take what was shown, of a withdrawal that is still to be paid as far as is known. */
function sendByHand(world: World): void {
  const handed = pickShown(world)
  if (!handed || world.ended.has(handed.id) || isEnding(world, handed.id)) return
  const txid = sendRaw(world, sign(handed))
  if (txid === undefined) return
  world.sent.add(txid)
  world.stage.log.push(`operator: sends what pays ${handed.id}: ${txid}`)
}

/** An operator spends the coin of what was shown back to the address, so that it can't be sent any more. */
function spendOtherwise(world: World, handed: Handed | undefined): void {
  const [coin] = handed?.prevtxs ?? []
  if (!handed || !coin || Number(coin.amount) < 3 || world.node.mempool.spenders.has(`${coin.txid}:${coin.vout}`))
    return
  const outputs = { [cold]: formatAmount(BigInt(Math.round(Number(coin.amount) * 1e8)) - 200_000_000n) }
  const hex = String(world.call('createrawtransaction', [[{ txid: coin.txid, vout: coin.vout }], outputs]))
  const txid = sendRaw(world, sign({ ...handed, hex, prevtxs: [coin] }))
  if (txid === undefined) return
  world.sweeps.add(txid)
  world.stage.log.push(`operator: spends the coin of ${handed.id} otherwise`)
}

function isEnding({ d1 }: World, id: string): boolean {
  return d1.rows('SELECT 1 FROM withdrawals WHERE id = ? AND ending IS NOT NULL', id).length > 0
}

function sendRaw(world: World, hex: string): string | undefined {
  try {
    const txid = String(world.call('sendrawtransaction', [hex]))
    watchMempool(world)
    return txid
  } catch {
    return undefined
  }
}
