import { writeToNode } from '../../tests/kit/write-content.ts'
import type { Bench } from '../bench.ts'
import { LARGE_BYTES, measureCold, NOTHING_KEPT, SMALL_BYTES, startBareHops, startNodeAlone } from '../cold-requests.ts'
import { pairedRow, plainRow, type Row } from '../row.ts'
import { randomBytes } from '../sample-bytes.ts'
import { startCountedDevnet, startProduct } from '../start-product.ts'
import { median } from '../statistics.ts'

/** How far away the node is, in milliseconds. */
const DELAY_MS = 20
const GROUP = `Cold, from a node ${DELAY_MS} ms away`
const ROUNDS = 15
const MANY = 1_000
const LARGE = 99

/** What the product adds to the time of a node that is not on this machine, compared with a Worker that only makes the hops. */
export async function measureColdFar(here: Bench): Promise<Row[]> {
  here.progress('cold from afar: storing what is requested')
  const devnet = await startCountedDevnet({}, DELAY_MS)
  const bench = { ...here, devnet }
  const small = writeToNode(devnet.devnet.node('Bitcoin'), randomBytes(MANY * SMALL_BYTES, 'far'), SMALL_BYTES)
  const large = writeToNode(devnet.devnet.node('Nativecoin'), randomBytes(LARGE * LARGE_BYTES, 'far'), LARGE_BYTES)
  const product = await startProduct({ ...bench, variables: NOTHING_KEPT })
  const node = await startNodeAlone(bench)
  const hops = await startBareHops(bench)
  try {
    const ask = async (blockchain: 'Bitcoin' | 'Nativecoin', txids: string[], count: number) => {
      const found = await measureCold(bench, product, { node, hops }, blockchain, txids, count, ROUNDS)
      return found.ours.map((ours, round) => ({
        ours: ours - (found.node[round] ?? Number.NaN),
        hops: (found.hops[round] ?? Number.NaN) - (found.node[round] ?? Number.NaN),
      }))
    }
    await ask('Bitcoin', small, 20)
    const one = await ask('Bitcoin', small, 1)
    const beyondOne = median(one.map(({ ours, hops }) => ours - hops))
    const many = (await ask('Bitcoin', small, MANY)).map(({ ours, hops }) => ours - hops - beyondOne)
    const tenMegabytes = (await ask('Nativecoin', large, LARGE)).map(({ ours, hops }) => ours - hops)
    const row = { group: GROUP, unit: 'ms', better: 'lower' as const }
    const added = 'added to the node by us'
    return [
      pairedRow(
        { ...row, id: 'cold/far-1', what: `${added}, 1 transaction`, limitWhat: 'by the bare hops', target: 1.3 },
        one.map(({ ours, hops }) => ({ value: ours, limit: hops })),
      ),
      plainRow({ ...row, id: 'cold/far-1000', what: `${added} and not by the hops, 1,000 beside 1`, target: 5 }, many),
      plainRow({ ...row, id: 'cold/far-10mb', what: `${added} and not by the hops, 10 MB`, target: 60 }, tenMegabytes),
    ]
  } finally {
    await hops.close()
    await node.close()
    await product.close()
    await devnet.close()
  }
}
