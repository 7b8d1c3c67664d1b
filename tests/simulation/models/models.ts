import type { Model } from '../world.ts'
import { agentObject } from './agent-object.ts'
import { badMoment } from './bad-moment.ts'
import { contentIndexes } from './content-indexes.ts'
import { customerActs } from './customer-acts.ts'
import { feeMarket } from './fee-market.ts'
import { foreignMiner } from './foreign-miner.ts'
import { fullMempool } from './full-mempool.ts'
import { jumpingClock } from './jumping-clock.ts'
import { keyLimits } from './key-limits.ts'
import { longSpike } from './long-spike.ts'
import { lostDeposits } from './lost-deposits.ts'
import { operatorActs } from './operator-acts.ts'
import { partialBatch } from './partial-batch.ts'
import { passedBy } from './passed-by.ts'
import { payerHabits } from './payer-habits.ts'
import { queryLimit } from './query-limit.ts'
import { restoredDatabase } from './restored-database.ts'
import { restoredMachine } from './restored-machine.ts'
import { staleNode } from './stale-node.ts'
import { twoAgents } from './two-agents.ts'
import { walletCopy } from './wallet-copy.ts'
import { walletWeather } from './wallet-weather.ts'
import { youngFunding } from './young-funding.ts'

/** All the weather there is, by name. The other limits of D1 are no weather: they always hold. */
const MODELS = {
  'agent-object': agentObject,
  'fee-market': feeMarket,
  'foreign-miner': foreignMiner,
  'full-mempool': fullMempool,
  'jumping-clock': jumpingClock,
  'partial-batch': partialBatch,
  'query-limit': queryLimit,
  'stale-node': staleNode,
  'wallet-weather': walletWeather,
  'passed-by': passedBy,
  'wallet-copy': walletCopy,
  'young-funding': youngFunding,
  'bad-moment': badMoment,
  'two-agents': twoAgents,
  'key-limits': keyLimits,
  'payer-habits': payerHabits,
  'lost-deposits': lostDeposits,
  'customer-acts': customerActs,
  'restored-database': restoredDatabase,
  'operator-acts': operatorActs,
  'long-spike': longSpike,
  'content-indexes': contentIndexes,
  'restored-machine': restoredMachine,
} as const satisfies Record<string, Model>

type ModelName = keyof typeof MODELS

/** The models that this run has, all or those that `MODELS` names with commas between; each seed takes about half. */
export function chosenModels(asked = process.env.MODELS): ReadonlyMap<string, Model> {
  return new Map(namesOf(asked).map((name) => [name, MODELS[name]]))
}

function namesOf(asked: string | undefined): ModelName[] {
  const names = Object.keys(MODELS).filter((name): name is ModelName => name in MODELS)
  if (asked === undefined || asked === 'all') return names
  const wanted = asked.split(',').filter((name) => name !== '')
  const unknown = wanted.find((name) => !names.some((known) => known === name))
  if (unknown !== undefined) throw new Error(`MODELS names ${unknown}; there are ${names.join(', ')}`)
  return names.filter((name) => wanted.includes(name))
}
