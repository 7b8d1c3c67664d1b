import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes, toHex } from '../../../protocol/bytes.ts'
import {
  encodeTransaction,
  readTransaction,
  reverseHex,
  transactionId,
  txidBytes,
} from '../../../protocol/transaction.ts'
import { workOf } from '../../../reader/proof/chain-work.ts'
import type { HeaderRules } from '../../../reader/proof/check-headers.ts'
import { sha256d } from '../../../reader/proof/fold-branch.ts'
import { verifyProof } from '../../../reader/proof/verify-proof.ts'
import { ReaderError } from '../../../reader/reader-error.ts'
import { ATTACK_KINDS, attackBlock } from './attack-block.ts'
import { type BlockJson, bytesOf, readBlocks, rulesOf, SHA256D, transactionsOf } from './real-blocks.ts'

interface Case {
  name: string
  block: BlockJson
  raw: Record<string, string>
  rules: HeaderRules
}

function caseOf(name: string, index: number, rules: (block: BlockJson) => HeaderRules): Case {
  const { blocks, raw } = readBlocks(name)
  const block = blocks[index]
  if (!block) throw new Error('no block')
  const wanted = block.transactions.map(({ txid }) => [txid, raw[txid] ?? ''])
  return { name: `${name} ${index}`, block, raw: Object.fromEntries(wanted), rules: rules(block) }
}

const { checkpoint } = readBlocks('bitcoin-0-to-14085')
const pinned = { work: workOf('Bitcoin'), checkpoint, now: (checkpoint?.time ?? 0) + 7200 }
const CASES: Case[] = [
  caseOf('dogecoin-371337', 0, (block) => ({ ...rulesOf(block, SHA256D), work: workOf('Dogecoin') })),
  caseOf('syscoin-430000', 0, (block) => rulesOf(block, { ...SHA256D, chainId: 4096 })),
  caseOf('bitcoin-951658', 0, (block) => rulesOf(block, SHA256D)),
  caseOf('bitcoin-0-to-14085', 1, () => pinned),
  caseOf('bitcoin-0-to-14085', 4, () => pinned),
]

/** A hex text with one bit of one byte changed; as `at` and `bit` say, wherever the text is long enough. */
function flip(hex: string, at: number, bit: number): string {
  const byte = at % (hex.length / 2)
  const changed = Number.parseInt(hex.slice(2 * byte, 2 * byte + 2), 16) ^ (1 << bit)
  return hex.slice(0, 2 * byte) + changed.toString(16).padStart(2, '0') + hex.slice(2 * byte + 2)
}

/** The first byte of `hashBlock`, which no rule of consensus reads, where a header has an AuxPoW. */
function ignoredFrom(header: string): number {
  return header.length > 160 ? readTransaction(bytesOf(header), 80).end : Number.POSITIVE_INFINITY
}

/** What may change of an AuxPoW that consensus ignores, and nothing else. */
const IGNORED: [field: string, change: (header: string) => string][] = [
  ['hashBlock', (header) => flip(header, ignoredFrom(header), 0)],
  [
    "the witness of the parent's coinbase, which its txid does not cover",
    (header) => {
      const { transaction, end } = readTransaction(bytesOf(header), 80)
      const inputs = transaction.inputs.map((input) => ({ ...input, witness: [new Uint8Array(32)] }))
      return header.slice(0, 160) + toHex(encodeTransaction({ ...transaction, inputs })) + header.slice(2 * end)
    },
  ],
]

function renamed({ block, raw }: Pick<Case, 'block' | 'raw'>): Pick<Case, 'block' | 'raw'> {
  const names = new Map(Object.entries(raw).map(([txid, hex]) => [txid, transactionId(bytesOf(hex))]))
  const transactions = block.transactions.map((one) => ({ ...one, txid: names.get(one.txid) ?? one.txid }))
  const named = Object.entries(raw).map(([txid, hex]) => [names.get(txid) ?? txid, hex])
  return { block: { ...block, transactions }, raw: Object.fromEntries(named) }
}

type Mutation = { kind: string; at: number; bit: number }

/** The case changed as an attacker would: what is derived from the changed bytes is made to fit them. */
function mutate({ block, raw, rules }: Case, { kind, at, bit }: Mutation): Omit<Case, 'name'> | undefined {
  const which = at % block.transactions.length
  const replace = (change: (one: BlockJson['transactions'][number]) => object) => ({
    raw,
    rules,
    block: {
      ...block,
      transactions: block.transactions.map((one, i) => (i === which ? { ...one, ...change(one) } : one)),
    },
  })
  const txid = block.transactions[which]?.txid ?? ''
  switch (kind) {
    case 'header': {
      const byte = at % (block.header.length / 2)
      const ignored = ignoredFrom(block.header)
      if (byte >= ignored && byte < ignored + 32) return undefined
      const header = flip(block.header, at, bit)
      const hash = reverseHex(sha256d(bytesOf(header.slice(0, 160))))
      return { raw, rules, block: { ...block, header, hash } }
    }
    case 'cut':
      return { raw, rules, block: { ...block, header: block.header.slice(0, 2 * (at % (block.header.length / 2))) } }
    case 'longer':
      return {
        raw,
        rules,
        block: {
          ...block,
          header:
            block.header +
            bit
              .toString(16)
              .padStart(2, '0')
              .repeat(1 + (at % 80)),
        },
      }
    case 'branch':
      if (block.transactions[which]?.branch.length === 0) return undefined
      return replace(({ branch }) => ({
        branch: branch.map((hash, level) => (level === at % branch.length ? flip(hash, at >> 5, bit) : hash)),
      }))
    case 'depth':
      return replace(({ branch }) => ({
        branch: bit % 2 && branch.length ? branch.slice(0, -1) : [...branch, block.hash],
      }))
    case 'position':
      return replace(({ position }) => ({ position: (position ^ (1 << (at % 30))) >>> 0 }))
    case 'transaction':
      return { rules, ...renamed({ block, raw: { ...raw, [txid]: flip(raw[txid] ?? '', at, bit) } }) }
    case 'height':
      if (!block.checkpoint) return undefined
      return {
        raw,
        rules,
        block: { ...block, height: bit ? block.height ^ (1 << (at % 20)) : block.checkpoint.height + 1 },
      }
    case 'pinned branch': {
      const { checkpoint } = block
      if (!checkpoint) return undefined
      const branch = checkpoint.branch.map((hash, level) => (level === at % 14 ? flip(hash, at >> 5, bit) : hash))
      return { raw, rules, block: { ...block, checkpoint: { ...checkpoint, branch } } }
    }
    case 'following': {
      const { following } = block
      if (!following) return undefined
      const changed = following.map((header, i) => (i === at % following.length ? flip(header, at >> 3, bit) : header))
      return { raw, rules, block: { ...block, following: changed } }
    }
    case 'order': {
      const { following } = block
      if (!following) return undefined
      return {
        raw,
        rules,
        block: { ...block, following: [...following.slice(1 + (at % 4)), ...following.slice(0, 1 + (at % 4))] },
      }
    }
    case 'clock':
      if (block.checkpoint) return undefined
      return { raw, block, rules: { ...rules, now: (rules.checkpoint?.time ?? 0) - 7201 - at } }
    case 'chain':
      if (block.checkpoint) return undefined
      return { raw, block, rules: { ...rules, work: { ...SHA256D, chainId: 2 + bit } } }
    case 'floor': {
      const pin = rules.checkpoint
      if (!pin || block.checkpoint) return undefined
      return { raw, block, rules: { ...rules, checkpoint: { ...pin, bits: pin.bits - 0x01000000 * (1 + (bit % 3)) } } }
    }
    case 'node': {
      // The node above a transaction, as if its 64 bytes were one.
      const one = block.transactions[which]
      const [sibling, ...branch] = one?.branch ?? []
      if (!one || sibling === undefined) return undefined
      const own = [txidBytes(one.txid), txidBytes(sibling)]
      const pair = concatBytes(one.position % 2 === 1 ? own.toReversed() : own)
      const node = { txid: reverseHex(sha256d(pair)), position: one.position >> 1, branch }
      return { raw: { [node.txid]: toHex(pair) }, rules, block: { ...block, transactions: [node] } }
    }
    default:
      return attackBlock(kind, at, bit)
  }
}

const KINDS = [
  ...['header', 'header', 'header', 'cut', 'longer', 'branch', 'depth', 'position', 'transaction'],
  ...['height', 'pinned branch', 'following', 'order', 'clock', 'chain', 'floor', 'node'],
  ...ATTACK_KINDS,
]

describe('a mutated proof', () => {
  it('is believed in none of 10,000 cases, each byte of what is checked among them', () => {
    const mutation = fc.record({
      kind: fc.constantFrom(...KINDS),
      at: fc.integer({ min: 0, max: 1 << 20 }),
      bit: fc.integer({ min: 0, max: 7 }),
      of: fc.constantFrom(...CASES),
    })
    fc.assert(
      fc.property(mutation, ({ of, ...how }) => {
        const mutated = mutate(of, how)
        fc.pre(mutated !== undefined)
        if (!mutated) return
        const { block, raw, rules } = mutated
        expect(() => verifyProof({ blocks: [block] }, transactionsOf(raw), rules)).toThrow(ReaderError)
      }),
      { numRuns: 10_000, seed: 52, maxSkipsPerRun: 10 },
    )
  })

  it.each(IGNORED)('is still believed where only that changes which consensus ignores: %s', (_, change) => {
    for (const { block, raw, rules } of CASES.slice(0, 2)) {
      const header = change(block.header)
      expect(header).not.toBe(block.header)
      const proven = verifyProof({ blocks: [{ ...block, header }] }, transactionsOf(raw), rules)
      expect([...proven.values()][0]?.state).toBe('worked')
    }
  })

  it('is believed of a made-up block of easy work, as long as nothing is wrong with its AuxPoW', () => {
    const { block, raw, rules } = attackBlock('none', 0, 0)
    const [proven] = verifyProof({ blocks: [block] }, transactionsOf(raw), rules).values()
    expect(proven).toMatchObject({ state: 'worked', depth: 1 })
  })

  it.each(ATTACK_KINDS)('is refused for the AuxPoW: %s', (kind) => {
    const { block, raw, rules } = attackBlock(kind, 3, 5)
    expect(() => verifyProof({ blocks: [block] }, transactionsOf(raw), rules)).toThrow(/AuxPoW|slot/)
  })

  it.each(CASES)('is believed as long as it is not mutated: $name', ({ block, raw, rules }) => {
    expect(verifyProof({ blocks: [block] }, transactionsOf(raw), rules).size).toBe(Object.keys(raw).length)
  })
})
