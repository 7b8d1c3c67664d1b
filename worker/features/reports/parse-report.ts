import { type Blockchain, isBlockchain } from '../../../protocol/chains.ts'
import type { DeniedValue } from '../../content/denylist/denied.ts'
import { isStatement, parseDeniedValue, parseReason } from '../../content/denylist/denied-value.ts'
import { invalidField } from '../../platform/http/errors.ts'

const MAX_EVIDENCE_CHARACTERS = 4000

/** What a report says: the thing, on which chain it was seen, why it should not be served, and what shows it. */
export interface ParsedReport extends DeniedValue {
  blockchain: Blockchain | undefined
  reason: string
  evidence: string | undefined
}

/** @throws {AppError} 400 naming the field. */
export function parseReport(body: Record<string, unknown>): ParsedReport {
  return {
    ...parseDeniedValue(body.kind, body.value),
    blockchain: parseBlockchain(body.kind, body.blockchain),
    reason: parseReason(body.reason),
    evidence: parseEvidence(body.evidence),
  }
}

function parseBlockchain(kind: unknown, blockchain: unknown): Blockchain | undefined {
  if (blockchain === undefined) return undefined
  if (kind === 'txid' && isBlockchain(blockchain)) return blockchain
  throw invalidField('blockchain', 'goes with a txid, and is the chain that it was seen on.')
}

function parseEvidence(evidence: unknown): string | undefined {
  if (evidence === undefined || evidence === null || evidence === '') return undefined
  if (!isStatement(evidence, MAX_EVIDENCE_CHARACTERS)) {
    throw invalidField(
      'evidence',
      `must be a text of at most ${MAX_EVIDENCE_CHARACTERS} characters that people can read.`,
    )
  }
  return evidence
}
