import type { Transaction } from '../transaction.ts'
import { ScriptReader } from './script-reader.ts'

const OP_IF = 0x63
const OP_ENDIF = 0x68

/** Where the pushes between `OP_IF "ord"` and `OP_ENDIF` of a leaf script are. */
export interface Envelope {
  /** The index of its input. */
  input: number
  script: Uint8Array
  /** Behind the push of "ord". */
  start: number
  /** Of `OP_ENDIF`. */
  end: number
}

/** The leaf script that an input's witness reveals if its output is a taproot one (BIP 341), and its control block. */
export interface RevealedScript {
  script: Uint8Array
  controlBlock: Uint8Array
}

/**
 * The last two items, after an annex is left out (BIP 341: of two or more items the last, where it begins with 0x50); `undefined` where
 * the witness is too short.
 */
export function revealedScript(witness: readonly Uint8Array[]): RevealedScript | undefined {
  const hasAnnex = witness.length >= 2 && witness.at(-1)?.[0] === 0x50
  const items = hasAnnex ? witness.slice(0, -1) : witness
  const [script, controlBlock] = [items.at(-2), items.at(-1)]
  return script && controlBlock && { script, controlBlock }
}

/**
 * All envelopes of a transaction, in order of inputs: the index in this list is the number in an inscription's id. They are
 * read as ord's `envelope.rs` reads them: what a failed attempt consumed is not tried again, a cut push discards all that
 * the input's script has, and another opcode than a push the envelope that it is in.
 */
export function readEnvelopes({ inputs }: Pick<Transaction, 'inputs'>): Envelope[] {
  return inputs.flatMap(({ witness }, input) => {
    const script = revealedScript(witness)?.script
    return script ? envelopesOf(script).map((place) => ({ input, script, ...place })) : []
  })
}

function envelopesOf(script: Uint8Array): Pick<Envelope, 'start' | 'end'>[] {
  const found: Pick<Envelope, 'start' | 'end'>[] = []
  const reader = new ScriptReader(script)
  for (;;) {
    const read = reader.next()
    if (read === 'end') return found
    if (read === 'cut') return []
    if (!reader.pushesBytes || reader.end > reader.start) continue
    if (!accept(reader, () => reader.opcode === OP_IF) || !accept(reader, () => isProtocol(reader.pushed))) continue
    const start = reader.offset
    const end = findEnd(reader)
    if (end !== undefined) found.push({ start, end })
  }
}

/** Reads the next instruction only if it is wanted. */
function accept(reader: ScriptReader, isWanted: () => boolean): boolean {
  const before = reader.offset
  if (reader.next() === 'read' && isWanted()) return true
  reader.offset = before
  return false
}

function isProtocol(bytes: Uint8Array | undefined): boolean {
  return bytes?.length === 3 && bytes[0] === 0x6f && bytes[1] === 0x72 && bytes[2] === 0x64
}

/** Where `OP_ENDIF` is, behind nothing but pushes; a cut push is left for the caller to find. */
function findEnd(reader: ScriptReader): number | undefined {
  for (;;) {
    const at = reader.offset
    if (reader.next() !== 'read') return undefined
    if (reader.opcode === OP_ENDIF) return at
    if (!reader.pushes) return undefined
  }
}
