import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { sha256 } from '@noble/hashes/sha2.js'
import fc from 'fast-check'
import { InscriptionParserService } from 'ordpool-parser'
import { describe, expect, it } from 'vitest'
import { commitTo, input, push, writeEnvelope } from '../../../devnet/others/write-inscription.ts'
import { concatBytes, fromHex, toHex } from '../../../protocol/bytes.ts'
import { readEnvelopes, revealedScript } from '../../../protocol/inscriptions/envelopes.ts'
import { readInscription } from '../../../protocol/inscriptions/inscription.ts'
import { isCommittedTo } from '../../../protocol/inscriptions/taproot-commitment.ts'
import { decodeTransaction, encodeTransaction, transactionId } from '../../../protocol/transaction.ts'

const TXID = 'ab'.repeat(32)
const KEY = fromHex(`c0${'11'.repeat(32)}`) ?? new Uint8Array(0)
const OP_0 = Uint8Array.of(0)
const OP_IF = Uint8Array.of(0x63)
const OP_ENDIF = Uint8Array.of(0x68)
const reveal = (...parts: Uint8Array[]) => input({ txid: TXID, vout: 0 }, { witness: [concatBytes(parts), KEY] })
const textsIn = (...inputs: ReturnType<typeof reveal>[]) =>
  readEnvelopes({ inputs })
    .map(readInscription)
    .map(({ body }) => body && new TextDecoder().decode(body))

interface Fixture {
  hex: string
  commits: string[]
}
/** Every transaction of Bitcoin's block 951658 that has an envelope (PyPI `e-x` 2.0.0). */
function readFixture(): Fixture[] {
  const file = new URL('../fixtures/inscriptions-951658.json.br', import.meta.url)
  return JSON.parse(brotliDecompressSync(readFileSync(file)).toString())
}

describe('the inscriptions of a real block', () => {
  const transactions = readFixture().map(({ hex, commits }) => ({
    transaction: decodeTransaction(fromHex(hex) ?? new Uint8Array(0)),
    commits: commits.map((commit) => decodeTransaction(fromHex(commit) ?? new Uint8Array(0))),
  }))

  it('are those that another parser finds', () => {
    const found = transactions.flatMap(({ transaction }) => readEnvelopes(transaction).map(readInscription))
    expect(found.length).toBe(86)
    const theirs = transactions.flatMap(({ transaction }) => {
      const txid = transactionId(encodeTransaction(transaction, { witness: false }))
      const vin = transaction.inputs.map(({ txid, witness }) => ({ txid, witness: witness.map(toHex) }))
      return InscriptionParserService.parse({ txid, vin })
    })
    expect(found.map(({ type, body }) => [type, body && toHex(body)])).toEqual(
      theirs.map(({ contentType, getDataRaw }) => [contentType, toHex(getDataRaw())]),
    )
  })

  it('are committed to by the output that their input spends, as far as that is in the block', async () => {
    const checks = transactions.flatMap(({ transaction, commits }) =>
      readEnvelopes(transaction).flatMap(({ input: index }) => {
        const { txid = '', vout = 0, witness = [] } = transaction.inputs[index] ?? {}
        const commit = commits.find((one) => transactionId(encodeTransaction(one, { witness: false })) === txid)
        const revealed = revealedScript(witness)
        return commit && revealed
          ? [isCommittedTo(revealed, commit.outputs[vout]?.script ?? new Uint8Array(0), sha256)]
          : []
      }),
    )
    expect(await Promise.all(checks)).toEqual([true])
  })
})

describe('an envelope', () => {
  it('has type, encoding, delegate, parents and metadata of its own, and a body in pushes of 520 bytes', () => {
    const script = writeEnvelope({
      type: 'text/plain',
      encoding: 'br',
      delegate: { txid: TXID, index: 256 },
      parents: [
        { txid: TXID, index: 0 },
        { txid: 'cd'.repeat(32), index: 1 },
      ],
      metadata: Uint8Array.of(0xa0),
      body: 'x'.repeat(1_300),
    })
    const [envelope] = readEnvelopes({ inputs: [reveal(script)] })
    expect(envelope && readInscription(envelope)).toEqual({
      input: 0,
      body: new TextEncoder().encode('x'.repeat(1_300)),
      type: 'text/plain',
      encoding: 'br',
      delegate: { txid: TXID, index: 256 },
      parents: [
        { txid: TXID, index: 0 },
        { txid: 'cd'.repeat(32), index: 1 },
      ],
      metadata: Uint8Array.of(0xa0),
      metaprotocol: undefined,
      pointer: undefined,
    })
  })

  it('is counted over all inputs', () => {
    const one = writeEnvelope({ body: 'one' })
    expect(textsIn(reveal(one, writeEnvelope({ body: 'two' })), reveal(writeEnvelope({ body: 'three' })))).toEqual([
      'one',
      'two',
      'three',
    ])
  })

  it('is found behind an annex, and not in a witness of one item', () => {
    const script = writeEnvelope({ body: 'found' })
    const annexed = input({ txid: TXID, vout: 0 }, { witness: [script, KEY, Uint8Array.of(0x50, 1)] })
    expect(textsIn(annexed)).toEqual(['found'])
    expect(textsIn(input({ txid: TXID, vout: 0 }, { witness: [script] }))).toEqual([])
  })

  it('may follow an attempt that failed, unless that consumed what it begins with', () => {
    const rest = concatBytes([OP_IF, push('ord'), OP_0, push('body'), OP_ENDIF])
    expect(textsIn(reveal(OP_0, OP_IF, OP_0, rest))).toEqual(['body'])
    expect(textsIn(reveal(OP_0, OP_0, rest))).toEqual(['body'])
    // The empty push between is taken as the content of the envelope that never ends.
    expect(textsIn(reveal(OP_0, OP_IF, push('ord'), OP_0, rest))).toEqual([])
  })

  it('has its first value of a tag, and its body at the first empty push in the place of a tag', () => {
    const script = concatBytes([
      ...[
        OP_0,
        OP_IF,
        push('ord'),
        push(Uint8Array.of(1)),
        push('text/plain'),
        push(Uint8Array.of(1)),
        push('image/png'),
      ],
      ...[push(Uint8Array.of(7)), OP_0, OP_0, push('body'), OP_0, push('more'), OP_ENDIF],
    ])
    const [envelope] = readEnvelopes({ inputs: [reveal(script)] })
    expect(envelope && readInscription(envelope)).toMatchObject({
      type: 'text/plain',
      metaprotocol: '',
      body: new TextEncoder().encode('bodymore'),
    })
  })

  it('takes numbers as pushes, and empty pushes of another form as empty', () => {
    const script = [
      OP_0,
      OP_IF,
      push('ord'),
      Uint8Array.of(0x51),
      push('a/b'),
      Uint8Array.of(0x4c, 0),
      Uint8Array.of(0x4f, 0x60),
    ]
    expect(readEnvelopes({ inputs: [reveal(...script, OP_ENDIF)] }).map(readInscription)).toMatchObject([
      { type: 'a/b', body: Uint8Array.of(0x81, 16) },
    ])
  })

  it('without a body has none, which is another thing than an empty one', () => {
    const without = writeEnvelope({ type: 'a/b' })
    const empty = writeEnvelope({ type: 'a/b', body: '' })
    expect(textsIn(reveal(without), reveal(empty))).toEqual([undefined, ''])
  })

  it('is dropped for another opcode in it, and all of its script for a cut push', () => {
    const good = writeEnvelope({ body: 'good' })
    const bad = concatBytes([OP_0, OP_IF, push('ord'), Uint8Array.of(0xac), OP_ENDIF])
    expect(textsIn(reveal(bad, good))).toEqual(['good'])
    expect(textsIn(reveal(good, Uint8Array.of(0x4c, 200)), reveal(good))).toEqual(['good'])
    expect(textsIn(reveal(good, OP_0, OP_IF, push('ord'), Uint8Array.of(2, 1)))).toEqual([])
  })

  it.each([
    ['a delegate of 31 bytes', 31, undefined],
    ['one of 32', 32, 0],
    ['one of 36 that ends with zero', 36, 0],
    ['one of 37', 37, undefined],
  ])('reads %s as ord does', (_, length, index) => {
    const value = new Uint8Array(length)
    const script = [OP_0, OP_IF, push('ord'), push(Uint8Array.of(11)), push(value), OP_ENDIF]
    const [envelope] = readEnvelopes({ inputs: [reveal(concatBytes(script))] })
    expect(envelope && readInscription(envelope).delegate?.index).toBe(index)
  })

  it('is read from any bytes without an error, and in time that follows their length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (script) => {
        for (const envelope of readEnvelopes({ inputs: [reveal(script)] })) readInscription(envelope)
      }),
    )
    const many = new Uint8Array(4_000_000).fill(0x51)
    const [envelope] = readEnvelopes({
      inputs: [reveal(concatBytes([OP_0, OP_IF, push('ord'), OP_0, many, OP_ENDIF]))],
    })
    expect(envelope && readInscription(envelope).body?.length).toBe(4_000_000)
  })
})

describe('the output that commits to a script', () => {
  // BIP 341, wallet-test-vectors.json, scriptPubKey 1.
  const script = fromHex('20d85a959b0290bf19bb89ed43c916be835475d013da4b362117393e25a48229b8ac') ?? new Uint8Array(0)
  const controlBlock =
    fromHex('c1187791b6f712a8ea41c8ecdd0ee77fab3e85263b37e1ec18a3651926b3a6cf27') ?? new Uint8Array(0)
  const output = fromHex('5120147c9c57132f6e7ecddba9800bb0c4449251c92a1e60371ee77557b6620f3ea3') ?? new Uint8Array(0)

  it('is the one of the BIP', async () => {
    expect(await isCommittedTo({ script, controlBlock }, output, sha256)).toBe(true)
  })

  it('is none for any other byte of script, control block or output', async () => {
    for (const [part, bytes] of Object.entries({ script, controlBlock, output })) {
      for (let at = 0; at < bytes.length; at++) {
        const changed = Uint8Array.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ (part === 'controlBlock' && at === 0 ? 2 : 1)
        const all = { script, controlBlock, output, [part]: changed }
        expect(await isCommittedTo(all, all.output, sha256), `${part} ${at}`).toBe(false)
      }
    }
  })

  it('is none for a control block with a path, whose script may be one of many', async () => {
    const made = commitTo(script)
    expect(await isCommittedTo({ script, controlBlock: made.controlBlock }, made.output, sha256)).toBe(true)
    const long = concatBytes([made.controlBlock, new Uint8Array(32)])
    expect(await isCommittedTo({ script, controlBlock: long }, made.output, sha256)).toBe(false)
  })
})
