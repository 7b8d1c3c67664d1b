import type { Env } from './bindings.ts'
import { now } from './clock.ts'
import { answerRequest } from './hosts/answer-request.ts'
import { runJobs } from './run-jobs.ts'

export { ChainAgent } from './chain-agent/chain-agent.ts'
export { ContentFetcher } from './chain-content/content-fetcher.ts'
export { ItemMerger } from './items/item-merger.ts'

export default {
  fetch: answerRequest,
  scheduled: (_controller, env) => runJobs(env, now()),
} satisfies ExportedHandler<Env>
