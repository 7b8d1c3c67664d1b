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

/** What is handed out to be signed: a PSBT, or a raw transaction with what it spends. */
interface Handed {
  id: string
  /** Outpoint. */
  coin: string
  psbt: string
  hex: string
  prevtxs: { txid: string; vout: number; scriptPubKey: string; amount: string }[]
}

/** What is offline, with what it signs. */
interface Signer {
  begin(world: World): void
  /** Where its coins are, and change goes. */
  address(world: World): string
  /** As it is returned to the service. */
  sign(world: World, handed: Handed): { psbt?: string; hex?: string }
  /** In hex, as a node takes it. */
  finish(world: World, signed: { psbt?: string; hex?: string }): unknown
  /** A transaction that spends one of its coins, in hex, signed. */
  signRaw(world: World, hex: string, coin: Handed['prevtxs'][number]): unknown
}

/** A machine that is never connected, with the private key of an address that the only wallet watches. */
const offline = new Node({ settings: NODE_SETTINGS.Dogecoin, now: () => 0, seed: 'offline' })
const cold = String(callMethod(offline, 'getnewaddress', []))
const signLegacy = (hex: string, prevtxs: Handed['prevtxs']) =>
  Object(callMethod(offline, 'signrawtransaction', [hex, prevtxs, null, 'ALL'])).hex

const addressSigner: Signer = {
  begin: (world) => void world.call('importaddress', [cold, 'cold', false], ''),
  address: () => cold,
  sign: (_, { hex, prevtxs }) => ({ hex: signLegacy(hex, prevtxs) }),
  finish: (_, { hex }) => hex,
  signRaw: (_, hex, coin) => signLegacy(hex, [coin]),
}

/** A wallet with the keys of another one that has none. The service's node never asks it. */
const walletSigner: Signer = {
  begin(world) {
    world.call('createwallet', ['signer'])
    world.call('devwatchwallet', ['cold', 'signer'])
  },
  address: (world) => String(world.call('getnewaddress', [], 'cold')),
  sign: (world, { psbt }) => ({ psbt: String(Object(world.call('walletprocesspsbt', [psbt], 'signer')).psbt) }),
  finish: (world, { psbt }) => Object(world.call('finalizepsbt', [psbt], 'signer')).hex,
  signRaw: (world, hex) => Object(world.call('signrawtransactionwithwallet', [hex], 'signer')).hex,
}

/** What operators have had shown, in each world: they may send it whatever the database is restored to. */
const shown = new WeakMap<World, Map<string, Handed>>()

/**
 * Withdrawals are paid with coins whose private keys are offline. Operators return what they have signed, send it themselves, or
 * spend its coin otherwise.
 */
const paidOffline = (signer: Signer) =>
  ({
    money: true,
    begin(world) {
      signer.begin(world)
      for (let count = world.random.integer(1, 4); count > 0; count--) {
        const coin = faucetCoin(world)
        const most = Math.floor(Number(coin?.amount ?? 0)) - 50
        if (coin) spend(world, coin, { [signer.address(world)]: String(world.random.integer(10, most)) }, 30n)
      }
      mine(world, 7)
    },
    happen() {},
    acts(world) {
      const { random } = world
      const kind = random.integer(0, 9)
      if (kind <= 5) return [() => giveBack(world, signer, random.chance(0.5) ? 1 : 100)]
      if (kind === 6 || kind === 8) sendByHand(world, signer)
      if (kind === 7 && random.chance(0.6)) spendOtherwise(world, signer, pickShown(world))
      return []
    },
    round(world) {
      for (const handed of shownOf(world).values()) {
        if (isEnding(world, handed.id)) spendOtherwise(world, signer, handed)
      }
      return [() => giveBack(world, signer, 100)]
    },
  }) satisfies Model

/** On Dogecoin an address is watched by the wallet that writes: another that stands in its place has to watch it, too. */
export const offlineAddress: Model = {
  ...paidOffline(addressSigner),
  chain: 'Dogecoin',
  settings: () => ({ COLD_ADDRESS_DOGECOIN: cold }),
  calm(world) {
    addressSigner.begin(world)
    const wallet = world.node.wallets.get('')
    if (wallet) world.node.rescan(wallet, 0)
  },
}

/** Elsewhere a wallet without private keys makes PSBTs, and receives what customers pay. */
export const offlineWallet: Model = {
  ...paidOffline(walletSigner),
  chain: 'Bitcoin',
  settings: () => ({ RPC_WALLET_BITCOIN: 'own', RPC_WATCH_BITCOIN: 'cold' }),
}

function shownOf(world: World): Map<string, Handed> {
  const known = shown.get(world) ?? new Map<string, Handed>()
  shown.set(world, known)
  return known
}

function pickShown(world: World): Handed | undefined {
  return world.random.pick([...shownOf(world).values()])
}

/** Operators look at what waits for signatures, and return so many of it signed. */
async function giveBack(world: World, signer: Signer, most: number): Promise<void> {
  await requestApi(world, async () => {
    const listed: Handed[] = JSON.parse(await listPsbts(world.d1)).psbts
    for (const handed of listed) shownOf(world).set(handed.id, handed)
    for (const handed of listed.slice(0, most)) {
      world.stage.log.push(`operator: returns what pays ${handed.id}`)
      const back = signer.sign(world, handed)
      await requestApi(world, () => returnPsbt(contextOf(world), handed.id, back, () => []))
    }
  })
}

/** An operator has the node take what was shown, of a withdrawal that is still to be paid as far as is known. */
function sendByHand(world: World, signer: Signer): void {
  const handed = pickShown(world)
  if (!handed || world.ended.has(handed.id) || isEnding(world, handed.id)) return
  const txid = sendRaw(world, signer.finish(world, signer.sign(world, handed)))
  if (txid === undefined) return
  world.sent.add(txid)
  world.stage.log.push(`operator: sends what pays ${handed.id}: ${txid}`)
}

/** An operator spends the coin of what was shown back to the address, so that it can't be sent any more. */
function spendOtherwise(world: World, signer: Signer, handed: Handed | undefined): void {
  const [txid = '', vout] = handed?.coin.split(':') ?? []
  const coin = world.node.chain.coins.get(`${txid}:${vout}`)
  // Enough for 500 vbytes at four times the usual rate.
  const fee = 2n * world.usual.walletFeeRate
  if (!handed || !coin || coin.value < 10n * fee || world.node.mempool.spenders.has(handed.coin)) return
  const outputs = { [signer.address(world)]: formatAmount(coin.value - fee) }
  const input = { txid, vout: Number(vout) }
  const hex = String(world.call('createrawtransaction', [[input], outputs]))
  const script = Buffer.from(coin.script).toString('hex')
  const prevtx = { ...input, scriptPubKey: script, amount: formatAmount(coin.value) }
  const spender = sendRaw(world, signer.signRaw(world, hex, prevtx))
  if (spender === undefined) return
  world.sweeps.add(spender)
  world.stage.log.push(`operator: spends the coin of ${handed.id} otherwise`)
}

function isEnding({ d1 }: World, id: string): boolean {
  return d1.rows('SELECT 1 FROM withdrawals WHERE id = ? AND ending IS NOT NULL', id).length > 0
}

function sendRaw(world: World, hex: unknown): string | undefined {
  try {
    const txid = String(world.call('sendrawtransaction', [hex]))
    watchMempool(world)
    return txid
  } catch {
    return undefined
  }
}
