import type { BlockPosition } from '../chain/follower/blocks.ts'
import type { WalletRpc } from '../chain/rpc/wallet-rpc.ts'
import { MIN_POLL_MS } from './next-poll-delay.ts'

/** Between two questions for a new block while a look is so near, in milliseconds: what the next block brings is not waited for. */
const BLOCK_ASKED = 40

/** Waits for the next look, with `wait`; where that is soon, no longer than until there is another block than `tip`. */
export async function waitForBlock(
  rpc: WalletRpc,
  tip: BlockPosition | undefined,
  delay: number,
  wait: (ms: number) => Promise<void>,
): Promise<void> {
  if (delay > MIN_POLL_MS || !tip) return await wait(delay)
  for (let left = delay; left > 0; left -= BLOCK_ASKED) {
    await wait(Math.min(left, BLOCK_ASKED))
    const [outcome] = await rpc([{ method: 'getbestblockhash', params: [] }]).catch(() => [])
    // A node that does not say so is met by the look itself.
    if (!outcome || 'error' in outcome) return await wait(Math.max(0, left - BLOCK_ASKED))
    if (outcome.result !== tip.hash) return
  }
}
