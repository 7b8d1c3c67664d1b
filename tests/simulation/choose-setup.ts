import { NODE_SETTINGS, type NodeSettings, PRESENT_NODES } from '../../devnet/node-settings.ts'
import { type Blockchain, COIN } from '../../protocol/chains.ts'
import type { Variable } from '../../worker/platform/config/config.ts'
import type { Random } from './random.ts'

/** The chain of a seed. */
export function chooseChain(random: Random): Blockchain {
  return random.pick(['Bitcoin', 'Bitcoin', 'Dogecoin', 'Nativecoin'] as const) ?? 'Bitcoin'
}

/** How its node is set up: as of some years ago, or as nodes are at present. */
export function chooseNode(random: Random, blockchain: Blockchain): NodeSettings {
  const present = blockchain === 'Dogecoin' ? {} : PRESENT_NODES[blockchain]
  const settings = { ...NODE_SETTINGS[blockchain], ...(random.chance(0.5) ? present : {}) }
  const service = { count: random.integer(1, 6), value: 10n * COIN * BigInt(random.integer(1, 100)) }
  return { ...settings, coinbaseMaturity: 8, premine: { faucet: { count: 12, value: 1000n * COIN }, service } }
}

/** What the operator has set, but for what a model sets. */
export function chooseVariables(random: Random, suffix: string): Partial<Record<Variable, string>> {
  return {
    BASE_URL: 'https://api.example',
    STORAGE_HOST: 'storage.example',
    TOKEN_JWKS: JSON.stringify({ keys: [{ kty: 'oct', k: Buffer.alloc(32, 7).toString('base64url') }] }),
    [`RPC_${suffix}`]: 'http://user:secret@node.test/',
    [`CONFIRMATIONS_${suffix}`]: String(random.integer(1, 3)),
    [`MAX_DATA_BYTES_${suffix}`]: String(random.integer(8, 80)),
    WRITER_TX_CHAINS: String(random.integer(1, 4)),
  }
}

/** The models that take part: about half of those that may, and in about half of the seeds none of the hard ones. */
export function chooseModels<M extends { hard?: boolean; chain?: Blockchain }>(
  random: Random,
  models: ReadonlyMap<string, M>,
): ReadonlyMap<string, M> {
  const chosen = [...models].filter(([, { chain }]) => chain === undefined && random.chance(0.5))
  const spared = chosen.some(([, { hard }]) => hard) && random.chance(0.4)
  return new Map(spared ? chosen.filter(([, { hard }]) => !hard) : chosen)
}

/** About half of the models that are of this chain alone. */
export function chooseOfChain<M extends { chain?: Blockchain }>(
  random: Random,
  blockchain: Blockchain,
  models: ReadonlyMap<string, M>,
): [string, M][] {
  return [...models].filter(([, { chain }]) => chain === blockchain && random.chance(0.5))
}
