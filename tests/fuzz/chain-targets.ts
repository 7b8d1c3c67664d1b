import { opReturnData, readOpReturn, writeOpReturn } from '../../protocol/op-return.ts'
import { decodeTransaction, readStripped, readTransaction, stripTransaction } from '../../protocol/transaction.ts'
import { extractHex } from '../../worker/chain/rpc/hex-json.ts'
import { decodeStored } from '../../worker/content/chain/brotli.ts'
import { type FuzzTarget, require } from './target.ts'

const MAX_DECODED = 1 << 20

const equal = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0

/** A transaction is read the same way by all that read one, and its stripped form is one too. */
function readRawTransaction(input: Uint8Array): void {
  const { transaction, end } = readTransaction(input)
  const own = input.subarray(0, end)
  require(decodeTransaction(own).inputs.length === transaction.inputs.length, 'its own bytes are the transaction')
  const stripped = stripTransaction(input)
  require(stripped.end === end, 'both readers end at one place')
  require(equal(readStripped(own).bytes, stripped.bytes), 'what is behind it changes nothing')
  opReturnData(transaction.outputs.map(({ script }) => script))
}

function readScript(input: Uint8Array): void {
  const pushes = readOpReturn(input)
  const total = (pushes ?? []).reduce((sum, push) => sum + push.length, 0)
  require(total <= input.length, 'a script pushes no more bytes than it has')
  const [written] = readOpReturn(writeOpReturn(input)) ?? []
  require(written !== undefined && equal(written, input), 'what is written is read')
}

/** What is extracted from JSON is unchanged, and the rest is still JSON. */
function readNodeJson(input: Uint8Array): void {
  let plain: unknown
  try {
    plain = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(input))
  } catch {
    extractHex(input.slice())
    return
  }
  const { text, hex } = extractHex(input.slice())
  const found: unknown = JSON.parse(text)
  const strings: string[] = []
  collectHex(plain, strings)
  require(hex.length <= strings.length, 'only strings are taken out')
  for (const bytes of hex) {
    const digits = Buffer.from(bytes).toString('hex')
    require(strings.includes(digits), 'what is taken out is what stood there')
  }
  require(typeof found === typeof plain || hex.length > 0, 'the rest is as it was')
}

function collectHex(value: unknown, strings: string[]): void {
  if (typeof value === 'string') strings.push(value.toLowerCase())
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      strings.push(name.toLowerCase())
      collectHex(member, strings)
    }
  }
}

function decodeContent(input: Uint8Array): void {
  const outcome = decodeStored(input, MAX_DECODED)
  if (outcome.encoding === 'br') require(outcome.decoded.length <= MAX_DECODED, 'decoded content is within its bound')
}

export const CHAIN_TARGETS: readonly FuzzTarget[] = [
  {
    name: 'transaction',
    run: readRawTransaction,
    words: ['\u0000\u0001', '\u0000\b', '\u0001\u0000\u0000\u0000', 'j'],
  },
  { name: 'op-return', run: readScript, words: ['j', 'L', 'M', 'N', 'O', 'P', '`'] },
  {
    name: 'node-json',
    run: readNodeJson,
    words: [
      '"',
      '\\',
      '\\"',
      '\\u0061',
      '[',
      '{"result":',
      '"error":null',
      'ab'.repeat(33),
      `"${'0'.repeat(66)}"`,
      '1e999',
    ],
  },
  { name: 'brotli', run: decodeContent, words: [] },
]
