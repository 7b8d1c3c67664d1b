import { parseCid } from '../../../../protocol/cid.ts'
import type { DeniedValue } from '../../../content/denylist/denied.ts'
import { cidDigest } from '../../../content/denylist/denied-value.ts'

/** Websites that one transaction may be a part of: each has its own, but for copies of the same content. */
const MOST = 100

/**
 * The CIDs of the stored websites on chains that this is another name of: an item, or a transaction in their lists. A denied
 * CID is checked wherever they are read.
 */
export async function selectSiteCids(
  db: D1Database,
  { kind, value }: Pick<DeniedValue, 'kind' | 'value'>,
): Promise<DeniedValue[]> {
  if (kind === 'cid') return []
  const which =
    kind === 'item' ? 'i.id = ?' : '(instr(t.txids, ?1) > 0 OR instr(IFNULL(t.packed, zeroblob(0)), unhex(?1)) > 0)'
  const { results } = await db
    .prepare(
      `SELECT DISTINCT i.cid AS cid FROM items i JOIN item_txids t ON t.item_id = i.id
       WHERE i.directory_of IS NOT NULL AND i.blockchain <> 'IPFS' AND i.cid IS NOT NULL AND ${which} LIMIT ${MOST}`,
    )
    .bind(value)
    .all<{ cid: string }>()
  return results.flatMap(({ cid: text }) => {
    const cid = parseCid(text)
    return cid ? [{ kind: 'cid' as const, value: text, digest: cidDigest(cid) }] : []
  })
}
