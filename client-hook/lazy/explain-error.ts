import { STORAGE_TARGETS } from '../../protocol/chains.ts'
import { MAX_TXIDS } from '../elements.ts'
import { GATEWAYS_RULE } from '../gateways.ts'
import type { HookError } from '../hook-error.ts'

/** What is right of an attribute, by its name at the end of a short message. */
const RULES: Record<string, (found: string) => string> = {
  type: (found) => `must be blob or chunk, not ${found}`,
  script: () => 'must be empty: its own code has already run',
  'data-mimetype': () => 'must be a media type such as image/png',
  'data-sha256': () => 'must be 64 hex digits',
  'data-gateways': () => GATEWAYS_RULE,
  'data-src': (found) => {
    if (found === 'IPFS') return 'must be a CID, with or without a path'
    if (found === 'name')
      return 'must be txids, joined by commas, or one <txid>i0, <txid>+<txid>i0 or stamp:<txid>, without data-path'
    return Number(found) > MAX_TXIDS
      ? `names ${found} transactions, ${MAX_TXIDS} at most`
      : 'must be txids, joined by commas'
  },
}

/** Puts the short message of an error of hook.js into a sentence. Errors of its parts have theirs already. */
export function explainError(error: Pick<HookError, 'code' | 'message'>): void {
  error.message = sentenceOf(error)
}

function sentenceOf({ code, message }: Pick<HookError, 'code' | 'message'>): string {
  const [, found = '', subject = ''] = /^(.*) (\S+)$/s.exec(message) ?? []
  if (code === 'invalid_blockchain') return `${found} is none of ${STORAGE_TARGETS.join(', ')}.`
  if (code === 'not_verified') return 'The content does not have the hash in data-sha256.'
  if (/^<\w/.test(subject)) return `${subject} does not show ${found}.`
  const rule = Object.hasOwn(RULES, subject) ? RULES[subject] : undefined
  return rule ? `${subject} ${rule(found)}.` : message
}
