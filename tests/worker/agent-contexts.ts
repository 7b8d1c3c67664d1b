import { env } from 'cloudflare:test'
import type { Blockchain } from '../../protocol/chains.ts'
import { type AgentContext, agentContext } from '../../worker/chain/follower/agent-context.ts'
import { type BlockPosition, selectTip } from '../../worker/chain/follower/blocks.ts'
import type { useDevnet } from './use-devnet.ts'

/** What a chain's agent works with at `now`. */
export function contextOf(blockchain: Blockchain = 'Bitcoin', now = Date.now()): AgentContext {
  const context = agentContext(env, blockchain)
  if (!context) throw new Error(`no node of ${blockchain}`)
  return { ...context, now }
}

/** What a step of Bitcoin's agent works with at `now`, after so many more blocks that it has followed. */
export async function contextAtTip(
  chain: ReturnType<typeof useDevnet>,
  blocks: number,
  now: number,
): Promise<{ context: AgentContext; tip: BlockPosition }> {
  await chain.confirm('Bitcoin', blocks)
  const tip = await selectTip(env.DB, 'Bitcoin')
  if (!tip) throw new Error('no chain')
  return { context: contextOf('Bitcoin', now), tip }
}
