import { writeOpReturn } from '../protocol/op-return.ts'
import type { TransactionOutput } from '../protocol/transaction.ts'
import { makeCoinbase } from './block.ts'
import { Chain } from './chain.ts'
import { makeBlock, sealBlock } from './mine-block.ts'
import type { NodeSettings } from './node-settings.ts'
import { Wallet } from './wallet.ts'

/** The wallet that `sendtoaddress` pays from, so that a user's payment is no transfer of the service to itself. */
export const FAUCET = 'faucet'
/** The default wallet of calls: the service's. */
export const SERVICE = ''

const GENESIS_TIME = 1_700_000_000
const SECONDS_BETWEEN = 60

const made = new Map<string, Chain>()

/** Names the chain, so that no two chains share a block. */
function genesisOutput({ blockchain }: NodeSettings): TransactionOutput {
  return { value: 0n, script: writeOpReturn(new TextEncoder().encode(`Hookline devnet: ${blockchain}`)) }
}

/**
 * A chain on which the first block has paid the faucet and the service, mature. Made once for the same settings and
 * copied after that: a new chain costs a fraction of a millisecond.
 */
export function premineChain(settings: NodeSettings): Chain {
  const { faucet, service } = settings.premine
  const { pubKeyHash, scriptHash, hrp } = settings.address
  const parts = [settings.blockchain, pubKeyHash, scriptHash, hrp, settings.coinbaseMaturity, settings.subsidy]
  const id = [...parts, faucet.count, faucet.value, service.count, service.value].join('/')
  const known = made.get(id)
  if (known) return new Chain(known)
  const chain = new Chain()
  const coinbase = makeCoinbase(0, 0, [genesisOutput(settings)], undefined)
  const genesis = sealBlock(undefined, [coinbase], { time: GENESIS_TIME, arrival: 0, settings })
  chain.add(genesis)
  chain.connect(genesis)
  const outputs: TransactionOutput[] = [
    { ...service, name: SERVICE },
    { ...faucet, name: FAUCET },
  ].flatMap(({ name, count, value }) => {
    const { script } = new Wallet(name, '', settings).addPremineKey()
    return Array.from({ length: count }, () => ({ value, script }))
  })
  const nobody = new Wallet('nobody', '', settings).addPremineKey().script
  for (let height = 1; height <= settings.coinbaseMaturity + 1; height++) {
    const block = makeBlock(
      chain,
      chain.tip,
      [],
      height === 1 ? outputs : [{ value: settings.subsidy, script: nobody }],
      {
        time: GENESIS_TIME + height * SECONDS_BETWEEN,
        arrival: height,
        settings,
      },
    )
    chain.add(block)
    chain.connect(block)
  }
  made.set(id, chain)
  return new Chain(chain)
}
