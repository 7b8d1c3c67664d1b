import { concatBytes } from '../../../../protocol/bytes.ts'

export type TarEntry =
  | { name: string; type: 'file'; size: number }
  | { name: string; type: 'directory' }
  | { name: string; type: 'symlink'; target: string }

const BLOCK = 512
const TYPE_FLAG = { file: '0', symlink: '2', directory: '5', extended: 'x' } as const

/**
 * The header of one entry of a TAR archive (POSIX.1-2001 pax): ustar, with a pax header before it for what does
 * not fit, which is a name over 100 bytes or outside ASCII and a size of 8 GiB or more.
 */
export function tarHeader(entry: TarEntry): Uint8Array {
  const name = entry.type === 'directory' ? `${entry.name}/` : entry.name
  const target = entry.type === 'symlink' ? entry.target : ''
  const size = entry.type === 'file' ? entry.size : 0
  const records = [
    ...(fits(name) ? [] : [paxRecord('path', name)]),
    ...(fits(target) ? [] : [paxRecord('linkpath', target)]),
    ...(size < 8 ** 11 ? [] : [paxRecord('size', String(size))]),
  ]
  const header = ustar(name, entry.type, size, target)
  if (records.length === 0) return header
  const body = new TextEncoder().encode(records.join(''))
  return concatBytes([
    ustar('././@PaxHeader', 'extended', body.byteLength, ''),
    body,
    tarPadding(body.byteLength),
    header,
  ])
}

/** The zeros after `size` bytes of content, up to a whole block. */
export function tarPadding(size: number): Uint8Array {
  return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK)
}

function fits(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what ustar names are written in
  return text.length <= 100 && /^[\x00-\x7f]*$/.test(text)
}

/** `<length> <key>=<value>\n`, where the length counts its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  const bytes = new TextEncoder().encode(rest).byteLength
  let length = bytes + 1
  while (String(length).length + bytes !== length) length = String(length).length + bytes
  return `${length}${rest}`
}

const text = new TextEncoder()

/** What all headers have: no owner, no time, so that the same content is the same archive, and a checksum of spaces. */
const COMMON = new Uint8Array(BLOCK)
for (const [offset, value] of [
  [108, octal(0, 8)],
  [116, octal(0, 8)],
  [136, octal(0, 12)],
  [148, ' '.repeat(8)],
  [257, 'ustar\x0000'],
] as const) {
  text.encodeInto(value, COMMON.subarray(offset))
}

function ustar(name: string, type: keyof typeof TYPE_FLAG, size: number, target: string): Uint8Array {
  const header = COMMON.slice()
  const write = (offset: number, value: string, width: number) =>
    text.encodeInto(value, header.subarray(offset, offset + width))
  write(0, name, 100)
  write(100, type === 'directory' ? octal(0o755, 8) : octal(0o644, 8), 8)
  write(124, octal(size < 8 ** 11 ? size : 0, 12), 12)
  write(156, TYPE_FLAG[type], 1)
  write(157, target, 100)
  let sum = 0
  for (const byte of header) sum += byte
  write(148, `${sum.toString(8).padStart(6, '0')}\0 `, 8)
  return header
}

/** The digits of a number in a field of this length, whose last byte is zero. */
function octal(value: number, width: number): string {
  return value
    .toString(8)
    .padStart(width - 1, '0')
    .slice(-(width - 1))
}
