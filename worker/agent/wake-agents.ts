import { BLOCKCHAINS } from '../../protocol/chains.ts'
import type { Env } from '../platform/bindings.ts'
import { readConfig } from '../platform/config/read-config.ts'

/** The watchdog: has the agent of every chain that a node is run for look for work. */
export async function wakeAgents(env: Env): Promise<void> {
  const { chains } = readConfig(env)
  const run = BLOCKCHAINS.filter((blockchain) => chains[blockchain].rpc.length > 0)
  await Promise.all(run.map((name) => env.CHAIN_AGENT.get(env.CHAIN_AGENT.idFromName(name)).wake()))
}
