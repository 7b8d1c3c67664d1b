import { CarWriter } from '@ipld/car'
import type { CID } from 'multiformats/cid'
import { concatBytes } from '../../../../protocol/bytes.ts'
import { blockName } from '../../../../worker/content/ipfs/blocks/block-key.ts'
import type { DagFixture } from './dag-fixture.ts'

/** A CAR of these blocks, in their order. */
export async function writeCar(
  roots: CID[],
  blocks: { cid: CID; bytes: Uint8Array }[],
): Promise<Uint8Array<ArrayBuffer>> {
  const { writer, out } = CarWriter.create(roots)
  const write = async () => {
    for (const block of blocks) await writer.put(block)
    await writer.close()
  }
  const parts: Uint8Array[] = []
  const writing = write()
  for await (const part of out) parts.push(part)
  await writing
  return concatBytes(parts)
}

/** A CAR of all blocks of a fixture, or of those that `keep` names. */
export async function carOf(
  dag: DagFixture,
  roots: CID[],
  keep: (cid: CID) => boolean = () => true,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = (cid: CID) => dag.blocks.get(blockName(cid)) ?? new Uint8Array()
  return writeCar(
    roots,
    dag.order.filter(keep).map((cid) => ({ cid, bytes: bytes(cid) })),
  )
}
