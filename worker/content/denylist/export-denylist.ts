import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import type { DeniedKind } from '../../../contract/states.ts'
import { fromHex } from '../../../protocol/bytes.ts'
import { parseCid } from '../../../protocol/cid.ts'
import { selectDeniedValues } from './denied.ts'
import { doubleHash } from './parse-denylist-line.ts'

const BITCOIN_TX = 0xb1
const DBL_SHA2_256 = 0x56
const SHA2_256 = 0x12

/** Rows that are read at once. */
const PAGE = 2_000

/**
 * The denylist in the compact format of IPFS gateways (IPIP-383), as double hashes: a CID can be looked up, but nobody can
 * read from the list what is denied. A transaction is listed by its CID; items have no name elsewhere and are left out.
 */
export function exportDenylist(db: D1Database, host: string): ReadableStream<Uint8Array> {
  const lines = denylistLines(db, host)
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await lines.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: async () => void (await lines.return()),
  })
}

async function* denylistLines(db: D1Database, host: string): AsyncGenerator<string, void> {
  yield `version: 1\nname: ${JSON.stringify(host)}\ndescription: "What ${host} does not serve"\n---\n`
  let after = 0
  for (;;) {
    const rows = await selectDeniedValues(db, after, PAGE)
    yield rows.flatMap(({ kind, value }) => hashedRule(kind, value)).join('')
    if (rows.length < PAGE) return
    after = rows.at(-1)?.seq ?? after
  }
}

function hashedRule(kind: DeniedKind, value: string): string[] {
  const cid = kind === 'txid' ? cidOfTransaction(value) : kind === 'cid' ? parseCid(value) : undefined
  // An invalid CID must not prevent the export of the others.
  if (!cid) return []
  return [`//${base58btc.baseEncode(create(SHA2_256, doubleHash(cid)).bytes)}\n`]
}

/** The CID whose hash is the double SHA-256 that a txid writes in reverse. */
function cidOfTransaction(txid: string): CID | undefined {
  const digest = fromHex(txid)?.reverse()
  return digest && CID.createV1(BITCOIN_TX, create(DBL_SHA2_256, digest))
}
