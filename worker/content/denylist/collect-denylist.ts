import { type KeyForm, parseDenylistLine } from './parse-denylist-line.ts'

/** Bytes ahead of the keys, of which the first says the forms. */
export const HEADER_BYTES = 8

/** The keys of a compact denylist. */
export interface CollectedDenylist {
  /** The stored form: a header whose first byte says the forms, then the keys, 8 bytes each, in ascending order. */
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

/** The bits of that byte: which forms of keys exist in addition to the plain one. */
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
  const buffer = new ArrayBuffer(HEADER_BYTES + limits.entries * BigUint64Array.BYTES_PER_ELEMENT)
  const keys = new BigUint64Array(buffer, HEADER_BYTES)
  const except = new Set<bigint>()
  let [forms, skipped, leftOut, lines, count] = [0, 0, 0, 0, 0]
  for await (const line of readLines(body, limits)) {
    if (++lines % PORTION === 0) await pause()
    const rule = line === undefined ? 'skipped' : parseDenylistLine(line)
    if (rule === 'nothing') continue
    if (rule === 'skipped') skipped++
    else if (rule.kind === 'allow') {
      if (except.size < limits.exceptions) except.add(rule.key)
      else leftOut++
    } else if (count < keys.length) {
      keys[count++] = rule.key
      forms |= FORM_BITS[rule.form]
    } else leftOut++
  }
  let entries = 0
  // Once for each list that changed, a million keys in 0.1 s.
  for (const key of keys.subarray(0, count).sort()) {
    if (keys[entries - 1] !== key && !except.has(key)) keys[entries++] = key
  }
  if (entries === 0) throw new Error('It holds no rule that can be used here.')
  const bytes = new Uint8Array(buffer, 0, keys.subarray(0, entries).byteLength + HEADER_BYTES)
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
