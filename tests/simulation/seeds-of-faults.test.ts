import { expect, it } from 'vitest'
import { chosenModels } from './models/models.ts'
import { runSeed } from './run-seed.ts'

/** The weather that there was when these seeds were red: with more of it they would be others. */
const FIRST_MODELS =
  'agent-object,fee-market,foreign-miner,full-mempool,jumping-clock,partial-batch,query-limit,stale-node,wallet-weather'

const WITH_TX_CHAINS = `${FIRST_MODELS},passed-by,wallet-copy,young-funding,bad-moment`

const TX_CHAINS = 'agent-object,foreign-miner,stale-node,passed-by,wallet-copy,young-funding,bad-moment'

const WITH_INDEXES = `${WITH_TX_CHAINS},content-indexes`

/** Seeds beyond those of every run that were red once, with what was wrong then, and the models they were run with. */
const KNOWN: [number, string, string?, withdrawals?: boolean][] = [
  [338, "an item waited without end for a coin of the wallet's, since what that one stood on was lost, too", TX_CHAINS],
  [1581, 'an index that another one replaced, and whose funding left the chain, was folded without end', WITH_INDEXES],
  [
    2229,
    'a reorganisation removed the payment of an item that the same step resumed after a double spend',
    WITH_INDEXES,
  ],
  [2541, 'a wallet listed a payment, and had lost it when it was searched whole a moment later'],
  [1299, 'a payment in time that could not be read at once was late when it was read at last, and its request expired'],
  [7137, 'a rescan found a payment in the look in which a reorganisation listed as many known ones again'],
  [7429, 'a published item that a reorganisation took back was never bumped, for its tx chain was closed'],
  [
    7737,
    'a tx chain that the wallet had no key for was opened and closed again at each step, without a wait',
    WITH_TX_CHAINS,
  ],
  [
    22093,
    'a wallet lost payments between two calls of a look, and what a rescan found then was never credited',
    WITH_TX_CHAINS,
  ],
  [27500, 'a tx chain too long after a reorganisation could pay no more, and nobody was told', WITH_TX_CHAINS, true],
  [31430, 'a tx chain whose change the wallet had spent could pay no more, and nobody was told', WITH_TX_CHAINS],
  [69750, 'a confirmed withdrawal that a reorganisation took off the chain was still called so', WITH_TX_CHAINS, true],
]

it.each(KNOWN)(
  'finds nothing wrong in seed %i: %s',
  async (seed, _, models = FIRST_MODELS, withdrawals = false) => {
    expect((await runSeed(seed, { models: chosenModels(models), withdrawals })).problems).toEqual([])
  },
  120_000,
)
