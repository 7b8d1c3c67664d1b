import type { Blockchain } from '../../protocol/chains.ts'
import type { Env } from '../platform/bindings.ts'
import { logOnceAMinute } from '../platform/records/log-once-a-minute.ts'

/** Has a chain's agent look for work soon. What is not heard here is found by the watchdog within a minute. */
export function wakeAgent(
  { env, executionCtx }: { env: Env; executionCtx: Pick<ExecutionContext, 'waitUntil'> },
  blockchain: Blockchain,
): void {
  const agent = env.CHAIN_AGENT.get(env.CHAIN_AGENT.idFromName(blockchain))
  executionCtx.waitUntil(
    agent.wake().catch((error: unknown) => {
      logOnceAMinute('warn', 'agent_not_woken', blockchain, error)
    }),
  )
}
