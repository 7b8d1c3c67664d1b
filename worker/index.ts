import { answerRequest } from './hosts/answer-request.ts'
import type { Env } from './platform/bindings.ts'
import { now } from './platform/clock.ts'

export { ChainAgent } from './agent/chain-agent.ts'
export { ContentFetcher } from './content/chain/content-fetcher.ts'
export { ItemMerger } from './features/items/merge/item-merger.ts'
export { Internal } from './hosts/internal.ts'

export default {
  fetch: answerRequest,
  scheduled: async (_controller, env) => (await import('./run-jobs.ts')).runJobs(env, now()),
} satisfies ExportedHandler<Env>
