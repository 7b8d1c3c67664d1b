import type { Blockchain } from '../../protocol/chains.ts'
import type { ContentName } from '../../protocol/inscriptions/content-name.ts'
import { beginDoginal, continueDoginal, type Doginal, joinParts } from '../../protocol/inscriptions/doginal.ts'
import { readEnvelopes, revealedScript } from '../../protocol/inscriptions/envelopes.ts'
import { type InscriptionContent, readContent } from '../../protocol/inscriptions/inscription.ts'
import type { InscriptionId } from '../../protocol/inscriptions/inscription-id.ts'
import { readStamp } from '../../protocol/inscriptions/stamp.ts'
import { isCommittedTo } from '../../protocol/inscriptions/taproot-commitment.ts'
import { typeOfBytes } from '../../protocol/inscriptions/type-of-bytes.ts'
import type { Transaction } from '../../protocol/transaction.ts'
import type { Sha256 } from '../chain/verify-transaction.ts'
import { ReaderError } from '../reader-error.ts'

/** The most inputs with envelopes whose commitments are checked: each needs the transaction that it spends. */
const MAX_COMMITMENTS = 100

/**
 * Transactions in the order of their txids; `undefined` where there is none. Each has been compared with its txid, which covers all
 * but the witness. Where witnesses are not needed they may be missing.
 */
export type ReadWhole = (txids: readonly string[], needs: { witness: boolean }) => Promise<(Transaction | undefined)[]>

/** What content that others wrote is read with. */
export interface NamedSource {
  read: ReadWhole
  sha256: Sha256
  /**
   * The later transactions of the doginal that `txid` begins, in order, as far as they are known and proven: their pushes are
   * not signed, so anybody can forge one.
   */
  follow?(txid: string, missing: number): Promise<readonly string[]>
}

/** Content that others wrote, as it is stored. */
export interface StoredContent {
  body: Uint8Array<ArrayBuffer>
  /** The media type that the chain says, whatever that is. */
  said: string | undefined
  /** A content coding, in lower case. */
  encoding: string | undefined
  /** All transactions that it is made of, a delegate's too. */
  txids: string[]
  /** `commitment`: its bytes are in a witness, and the output that was spent commits to them (BIP 341). */
  evidence: 'txid' | 'commitment'
}

/**
 * What a name names, verified as far as its own transactions can.
 * @throws {ReaderError} `not_found`; `incomplete` where parts of a doginal are missing; `not_verified`
 */
export async function readNamed(
  blockchain: Blockchain,
  name: ContentName,
  source: NamedSource,
): Promise<StoredContent> {
  if (name.kind === 'stamp') return await readStampOf(name.txid, source)
  if (name.kind === 'doginal' && blockchain !== 'Dogecoin') throw notFound('Only Dogecoin has content of this name.')
  const found = await (name.kind === 'doginal' ? readParts(name.txids, source) : readOwn(blockchain, name.id, source))
  if (!found.delegate) return withBody(found)
  const followed = withBody(await readOwn(blockchain, found.delegate, source))
  const evidence = found.evidence === 'txid' ? followed.evidence : found.evidence
  return { ...followed, evidence, txids: [...found.txids, ...followed.txids] }
}

/** What an inscription has of its own, verified: a delegate is not followed. */
export type OwnContent = Pick<StoredContent, 'txids' | 'evidence'> &
  Pick<InscriptionContent, 'body' | 'type' | 'encoding' | 'delegate'>

/** @throws {ReaderError} as {@link readNamed}, of the inscription alone */
export async function readOwn(blockchain: Blockchain, id: InscriptionId, source: NamedSource): Promise<OwnContent> {
  if (blockchain !== 'Dogecoin') return await readInscriptionOf(id, source)
  if (id.index !== 0) throw notFound('A doginal has the index 0.')
  return await readParts([id.txid], source)
}

/** The content of an inscription's own body. @throws {ReaderError} `not_found` where it has none */
export function withBody({ body, type, encoding, delegate: _, ...found }: OwnContent): StoredContent {
  if (!body) throw notFound('The inscription has no body.')
  return { ...found, said: type, body, encoding: encoding?.trim().toLowerCase() || undefined }
}

async function readInscriptionOf(id: InscriptionId, source: NamedSource): Promise<OwnContent> {
  const [reveal] = await source.read([id.txid], { witness: true })
  const envelopes = reveal ? readEnvelopes(reveal) : []
  const envelope = envelopes[id.index]
  if (!reveal || !envelope) throw notFound('There is no such inscription.')
  // The number in the id counts over all inputs: only the inputs that carry envelopes are in it.
  await checkCommitments(reveal, [...new Set(envelopes.map(({ input }) => input))], source)
  const { body, type, encoding, delegate } = readContent(envelope)
  return { body, type, encoding, delegate, txids: [id.txid], evidence: 'commitment' }
}

/** @throws {ReaderError} `not_verified` */
async function checkCommitments(
  { inputs }: Transaction,
  indices: readonly number[],
  source: NamedSource,
): Promise<void> {
  const revealing = indices.flatMap((index) => inputs[index] ?? [])
  if (revealing.length > MAX_COMMITMENTS)
    throw notVerified(`more than ${MAX_COMMITMENTS} of its inputs have inscriptions`)
  const txids = [...new Set(revealing.map(({ txid }) => txid))]
  const commits = await source.read(txids, { witness: false })
  for (const { txid, vout, witness } of revealing) {
    const output = commits[txids.indexOf(txid)]?.outputs[vout]
    const revealed = revealedScript(witness)
    if (!output || !revealed || !(await isCommittedTo(revealed, output.script, source.sha256))) {
      throw notVerified(`no output commits to the script that has it: it is not the only script of ${txid}:${vout}`)
    }
  }
}

/** A doginal whose transactions are all named, so that their txids prove them; or the first one, and the rest is proven. */
async function readParts(txids: readonly string[], source: NamedSource): Promise<OwnContent> {
  const transactions = await source.read(txids, { witness: false })
  let doginal: Doginal | undefined
  for (const [index, transaction] of transactions.entries()) {
    const [first] = transaction?.inputs ?? []
    if (!first) throw notFound(`There is no transaction ${txids[index]}.`)
    if (index > 0 && first.txid !== txids[index - 1])
      throw notFound('Each transaction must spend an output of the one before it.')
    doginal = doginal ? continueDoginal(doginal, first.script) : beginDoginal(first.script)
    if (!doginal)
      throw notFound(index === 0 ? 'There is no such inscription.' : `${txids[index]} does not continue it.`)
  }
  if (!doginal) throw notFound('There is no such inscription.')
  if (doginal.missing > 0) {
    const [txid = ''] = txids
    const later = txids.length > 1 ? [] : ((await source.follow?.(txid, doginal.missing)) ?? [])
    if (later.length > 0) return await readParts([txid, ...later], source)
    throw new ReaderError(
      'incomplete',
      `Of ${txid}i0 are ${doginal.parts.length} parts here, and ${doginal.missing} in later transactions. \`hookline find ${txid}i0\` names them all.`,
    )
  }
  const { type, delegate } = doginal
  return { body: joinParts(doginal), type, encoding: undefined, delegate, txids: [...txids], evidence: 'txid' }
}

async function readStampOf(txid: string, source: NamedSource): Promise<StoredContent> {
  const [transaction] = await source.read([txid], { witness: false })
  const stamp = transaction && readStamp(transaction)
  // Any P2WSH outputs would do otherwise.
  if (!stamp || (!stamp.isMarked && typeOfBytes(stamp.data) === undefined)) throw notFound('There is no such stamp.')
  return { body: stamp.data, said: undefined, encoding: undefined, txids: [txid], evidence: 'txid' }
}

function notFound(message: string): ReaderError {
  return new ReaderError('not_found', message)
}

function notVerified(why: string): ReaderError {
  return new ReaderError('not_verified', `The inscription cannot be verified: ${why}.`)
}
