import { env } from 'cloudflare:test'
import { type AgentContext, agentContext } from '../../worker/chain/follower/agent-context.ts'
import { type BlockPosition, selectTip } from '../../worker/chain/follower/blocks.ts'
import type { useDevnet } from './use-devnet.ts'

/** What a step of Bitcoin's agent works with at `now`, after so many more blocks that it has followed. */
export async function contextAtTip(
  chain: ReturnType<typeof useDevnet>,
  blocks: number,
  now: number,
): Promise<{ context: AgentContext; tip: BlockPosition }> {
  chain.mine('Bitcoin', blocks)
  await chain.work('Bitcoin')
  const context = agentContext(env, 'Bitcoin')
  const tip = await selectTip(env.DB, 'Bitcoin')
  if (!context || !tip) throw new Error('no chain')
  return { context: { ...context, now }, tip }
}
