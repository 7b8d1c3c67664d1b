import type { Blockchain } from '../../protocol/chains.ts'
import type { Env } from '../platform/bindings.ts'

/** Has a chain's agent look for work soon. What is not heard here is found by the watchdog within a minute. */
export function wakeAgent(env: Env, blockchain: Blockchain, waitUntil: (work: Promise<unknown>) => void): void {
  const agent = env.CHAIN_AGENT.get(env.CHAIN_AGENT.idFromName(blockchain))
  waitUntil(
    agent.wake().catch((error: unknown) => {
      console.warn('agent_not_woken', blockchain, error)
    }),
  )
}
