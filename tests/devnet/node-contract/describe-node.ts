import { beforeAll, describe } from 'vitest'
import type { NodeAddress } from '../../kit/rpc-client.ts'
import { TestNode } from '../../kit/test-node.ts'
import { describeChain } from './chain.ts'
import { describeMempool } from './mempool.ts'
import { describeOverHttp } from './over-http.ts'
import { describeReorganisation } from './reorganisation.ts'
import { describeSending } from './sending.ts'
import type { Subject, Wording } from './subject.ts'
import { describeTransactions } from './transactions.ts'
import { describeWallet } from './wallet.ts'

/**
 * What a node of Bitcoin Core's code answers, as the project relies on it. The embedded nodes and a real daemon are
 * held to the same sentences, so that the embedded ones can't drift from a real one.
 */
export function describeNode(name: string, open: () => Promise<NodeAddress>, wording: Wording): void {
  describe(name, () => {
    const none: NodeAddress = { url: '', user: '', password: '' }
    const on: Subject = { node: none, bench: new TestNode(none), wording }

    beforeAll(async () => {
      on.node = await open()
      on.bench = new TestNode(on.node)
      await on.bench.coin()
    }, 120_000)

    describeOverHttp(on)
    describeChain(on)
    describeTransactions(on)
    describeSending(on)
    describeMempool(on)
    describeWallet(on)
    describeReorganisation(on)
  })
}
