import { afterAll } from 'vitest'
import { describeNode } from '../devnet/node-contract/describe-node.ts'
import { type Daemon, startLitecoind } from './litecoind.ts'

const running: Daemon[] = []

afterAll(async () => {
  await Promise.all(running.map((daemon) => daemon.stop()))
})

describeNode(
  'litecoind, a real node of the same code',
  async () => {
    const daemon = await startLitecoind()
    running.push(daemon)
    return daemon.node
  },
  {
    conflict: /^txn-mempool-conflict$/,
    alreadyInChain: /^Transaction already in block chain$/,
    badScript: 'non-mandatory-script-verify-flag',
    wrongType: /^JSON value is not an integer as expected$|^Expected type number, got string$/,
  },
)
