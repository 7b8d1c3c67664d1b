import { readFileSync } from 'node:fs'
import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, it } from 'vitest'
import { input, transactionOf } from '../../../devnet/others/write-inscription.ts'
import { fromHex, toHex } from '../../../protocol/bytes.ts'
import { parseContentName, writeContentName } from '../../../protocol/inscriptions/content-name.ts'
import { beginDoginal, continueDoginal, joinParts } from '../../../protocol/inscriptions/doginal.ts'
import { readEnvelopes } from '../../../protocol/inscriptions/envelopes.ts'
import { readInscription } from '../../../protocol/inscriptions/inscription.ts'
import { readStamp } from '../../../protocol/inscriptions/stamp.ts'
import { isCommittedTo } from '../../../protocol/inscriptions/taproot-commitment.ts'

/** The vectors of docs/formats.md, which other readers can use: a list of one object a line. */
function vectors<Vector>(name: string): [what: string, vector: Vector][] {
  const file = new URL(`../fixtures/vectors/${name}.json`, import.meta.url)
  const list: (Vector & { what?: string; text?: string })[] = JSON.parse(readFileSync(file, 'utf8'))
  return list.map((vector) => [vector.what ?? JSON.stringify(vector.text), vector])
}

const bytesOf = (hex: string) => fromHex(hex) ?? new Uint8Array(0)
const spent = { txid: 'ab'.repeat(32), vout: 0 }
const idText = (id: { txid: string; index: number }) => `${id.txid}i${id.index}`
/** Without the fields that are not there. */
const present = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

interface InscriptionVector {
  /** A list of items for each input. */
  witnesses: string[][]
  inscriptions: { type?: string; body?: string }[]
}

describe('inscriptions', () => {
  const inputsOf = ({ witnesses }: InscriptionVector) =>
    witnesses.map((items) => input(spent, { witness: items.map(bytesOf) }))

  it.each(vectors<InscriptionVector>('inscriptions'))('%s', (_, vector) => {
    const found = readEnvelopes({ inputs: inputsOf(vector) }).map(readInscription)
    const written = found.map(({ body, metadata, delegate, parents, pointer, ...fields }) =>
      present({
        ...fields,
        body: body && toHex(body),
        metadata: metadata && toHex(metadata),
        delegate: delegate && idText(delegate),
        parents: parents.length > 0 ? parents.map(idText) : undefined,
        pointer: pointer?.toString(),
      }),
    )
    expect(written).toEqual(vector.inscriptions)
  })
})

interface CommitmentVector {
  script: string
  controlBlock: string
  output: string
  committed: boolean
}

describe('commitments', () => {
  it.each(vectors<CommitmentVector>('commitments'))('%s', async (_, { script, controlBlock, output, committed }) => {
    const revealed = { script: bytesOf(script), controlBlock: bytesOf(controlBlock) }
    expect(await isCommittedTo(revealed, bytesOf(output), sha256)).toBe(committed)
  })
})

interface DoginalVector {
  /** The scriptSig of input 0 of each transaction. */
  scripts: string[]
  doginal: object | null
}

describe('doginals', () => {
  it.each(vectors<DoginalVector>('doginals'))('%s', (_, { scripts, doginal }) => {
    const [first = '', ...rest] = scripts
    const found = rest.reduce(
      (begun, script) => begun && continueDoginal(begun, bytesOf(script)),
      beginDoginal(bytesOf(first)),
    )
    const written =
      found &&
      present({
        type: found.type,
        missing: found.missing,
        body: toHex(joinParts(found)),
        delegate: found.delegate && idText(found.delegate),
      })
    expect(written ?? null).toEqual(doginal)
  })
})

interface StampVector {
  /** The txid that input 0 names. */
  spent: string
  outputs: string[]
  stamp: object | null
}

describe('stamps', () => {
  it.each(vectors<StampVector>('stamps'))('%s', (_, { spent: txid, outputs, stamp }) => {
    const found = readStamp(transactionOf([input({ txid, vout: 0 })], outputs.map(bytesOf)))
    expect(found ? { ...found, data: toHex(found.data) } : null).toEqual(stamp)
  })
})

interface NameVector {
  text: string
  kind: string | null
  /** Its one spelling. */
  written?: string
}

describe('names', () => {
  it.each(vectors<NameVector>('names'))('%s', (_, { text, kind, written }) => {
    const name = parseContentName(text)
    expect([name?.kind ?? null, name && writeContentName(name)]).toEqual([kind, written])
  })
})
