import { answerRequest } from './hosts/answer-request.ts'
import type { Env } from './platform/bindings.ts'
import { now } from './platform/clock.ts'
import { runJobs } from './run-jobs.ts'

export { ChainAgent } from './agent/chain-agent.ts'
export { ContentFetcher } from './content/chain/content-fetcher.ts'
export { ItemMerger } from './features/items/merge/item-merger.ts'

export default {
  fetch: answerRequest,
  scheduled: (_controller, env) => runJobs(env, now()),
} satisfies ExportedHandler<Env>
