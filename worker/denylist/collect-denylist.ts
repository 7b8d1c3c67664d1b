import { HEADER_BYTES, KEY_BYTES, KeyCollection, keyNumber } from './key-set.ts'
import { type KeyForm, parseDenylistLine } from './parse-denylist-line.ts'

/** What was read of a compact denylist. */
export interface CollectedDenylist {
  /** As the bucket keeps it: a header whose first byte says the forms, then the sorted keys. */
  bytes: Uint8Array<ArrayBuffer>
  entries: number
  skipped: number
  leftOut: number
}

export interface DenylistLimits {
  entries: number
  bytes: number
  /** Exceptions (`+` and `!` rules). */
  exceptions: number
  /** Characters of a line; longer ones are skipped. */
  line: number
}

export const DENYLIST_LIMITS: DenylistLimits = { entries: 1_000_000, bytes: 128 << 20, exceptions: 10_000, line: 4096 }

/** The bits of that byte: which forms of keys there are beside the plain one. */
export const FORM_BITS: Record<KeyForm, number> = { plain: 0, legacy: 1, hashed: 2 }

/** Lines that are read before others get a turn. */
const PORTION = 1_000

/**
 * Reads a compact denylist (IPIP-383) as it arrives. `pause` lets others have a turn, and is awaited after each portion.
 * @throws {Error} where it is larger than a list may be, or holds no rule at all.
 */
export async function collectDenylist(
  body: ReadableStream<Uint8Array>,
  pause: () => Promise<void>,
  limits = DENYLIST_LIMITS,
): Promise<CollectedDenylist> {
  const keys = new KeyCollection(limits.entries)
  const except = new Set<bigint>()
  let [forms, skipped, leftOut, lines] = [0, 0, 0, 0]
  for await (const line of readLines(body, limits)) {
    if (++lines % PORTION === 0) await pause()
    const rule = line === undefined ? 'skipped' : parseDenylistLine(line)
    if (rule === 'nothing') continue
    if (rule === 'skipped') skipped++
    else if (rule.kind === 'allow') {
      if (except.size < limits.exceptions) except.add(keyNumber(rule.key))
      else leftOut++
    } else if (keys.add(rule.key)) forms |= FORM_BITS[rule.form]
    else leftOut++
  }
  const bytes = await keys.finish(pause, except)
  const entries = (bytes.length - HEADER_BYTES) / KEY_BYTES
  if (entries === 0) throw new Error('It holds no rule that can be used here.')
  bytes[0] = forms
  return { bytes, entries, skipped, leftOut }
}

/** Each line; `undefined` for one that is too long. */
async function* readLines(
  body: ReadableStream<Uint8Array>,
  limits: Pick<DenylistLimits, 'bytes' | 'line'>,
): AsyncGenerator<string | undefined> {
  const decoder = new TextDecoder()
  let [rest, bytes, tooLong] = ['', 0, false]
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > limits.bytes) throw new Error(`It has more than ${limits.bytes} bytes.`)
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      yield tooLong || line.length > limits.line ? undefined : line
      tooLong = false
    }
    if (rest.length > limits.line) [rest, tooLong] = ['', true]
  }
  if (tooLong || rest !== '') yield tooLong ? undefined : rest
}
