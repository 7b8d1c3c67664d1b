import { encodeTransaction, type Transaction } from '../../protocol/transaction.ts'
import { mutate, type Random } from '../fuzz/mutate.ts'

const WORDS = ['\u0000c\u0003ord', 'h', '\u0001\u0001', '\u0000', 'P', 'stamp:'].map((word) =>
  Buffer.from(word, 'latin1'),
)

/**
 * A changed serialization: in one of four its bytes as they are, else a witness, a scriptSig or an output, and the rest as it was,
 * so that it is still a transaction. `other` is another one, whose parts may be put into it.
 */
export function mutateTransaction(
  transaction: Transaction,
  other: Transaction,
  witness: boolean,
  random: Random,
): Uint8Array {
  const whole = (one: Transaction) => encodeTransaction(one, { witness })
  if (random(4) === 0) return mutate(whole(transaction), whole(other), WORDS, random)
  const bytes = (own: Uint8Array, theirs: Uint8Array | undefined) => mutate(own, theirs ?? own, WORDS, random)
  const at = random(transaction.inputs.length)
  const theirs = other.inputs[random(other.inputs.length)]
  const inputs = transaction.inputs.map((input, index) => {
    if (index !== at) return input
    if (!witness) return { ...input, script: bytes(input.script, theirs?.script) }
    return { ...input, witness: mutateItems(input.witness, theirs?.witness ?? [], bytes, random) }
  })
  if (witness || random(2) === 0) return whole({ ...transaction, inputs })
  const out = random(transaction.outputs.length)
  const outputs = transaction.outputs.map((output, index) =>
    index === out ? { ...output, script: bytes(output.script, other.outputs[0]?.script) } : output,
  )
  return whole({ ...transaction, outputs })
}

/** Items of a witness: one changed, one left out, one put before or behind, as an annex too, or all of another input. */
function mutateItems(
  items: readonly Uint8Array[],
  theirs: readonly Uint8Array[],
  change: (own: Uint8Array, theirs: Uint8Array | undefined) => Uint8Array,
  random: Random,
): Uint8Array[] {
  const at = random(items.length + 1)
  switch (random(6)) {
    case 0:
      return items.filter((_, index) => index !== at)
    case 1:
      return [...items.slice(0, at), theirs[random(theirs.length)] ?? new Uint8Array(0), ...items.slice(at)]
    case 2:
      return [...items, Uint8Array.of(0x50, random(256))]
    case 3:
      return [...theirs]
    default:
      return items.map((item, index) => (index === Math.min(at, items.length - 1) ? change(item, theirs[index]) : item))
  }
}
