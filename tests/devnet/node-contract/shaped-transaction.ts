import { writeOpReturn } from '../../../protocol/op-return.ts'
import type { TestNode } from '../../kit/test-node.ts'
import { bytesOf } from './bytes-of.ts'

export interface Shape {
  fee?: bigint
  dataBytes?: number
  outputs?: never[]
  extra?: { value: bigint; script: string }
  lockTime?: number
  sequence?: number
}

/** A signed transaction that is in order but for what the shape says. */
export async function shapedTransaction(
  bench: TestNode,
  { fee = 20_000n, dataBytes, outputs, extra, lockTime, sequence }: Shape,
): Promise<string> {
  const coin = await bench.coin()
  const own = coin.script
  const list = outputs ?? [
    { value: coin.value - fee - (extra?.value ?? 0n), script: own },
    ...(dataBytes ? [{ value: 0n, script: writeOpReturn(new Uint8Array(dataBytes)) }] : []),
    ...(extra ? [{ value: extra.value, script: extra.script === 'own' ? own : bytesOf(extra.script) }] : []),
  ]
  return bench.sign([coin], list, lockTime, sequence)
}
