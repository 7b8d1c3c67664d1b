import { afterAll } from 'vitest'
import { type RunningDevnet, startDevnet } from '../../devnet/start-devnet.ts'
import { describeNode } from './node-contract/describe-node.ts'

const running: RunningDevnet[] = []

afterAll(async () => {
  await Promise.all(running.map((devnet) => devnet.close()))
})

describeNode(
  'the embedded Bitcoin node',
  async () => {
    const devnet = await startDevnet({ port: 0, blockMs: 0 })
    running.push(devnet)
    return { url: `http://127.0.0.1:${devnet.port}/Bitcoin`, user: 'devnet', password: 'devnet' }
  },
  {
    conflict: /^insufficient fee, rejecting replacement/,
    alreadyInChain: /^Transaction outputs already in utxo set$/,
    badScript: 'mandatory-script-verify-flag-failed',
    wrongType: /^JSON value of type string is not of expected type number$/,
  },
)
