import { isStorageTarget, type StorageTarget } from '../../../../protocol/chains.ts'
import { inState } from './item-state.ts'
import { TXIDS } from './txids.ts'

/** An item that is stored, as its readers need it; sizes in bytes. */
export interface StoredItem {
  id: string
  name: string
  mimetype: string
  blockchain: StorageTarget
  /** Of the content itself. */
  size: number
  /** Of what is on the chain, usually compressed. */
  storedSize: number
  txids: string[]
  /** The transaction that names them all. */
  index: string | undefined
  cid: string | undefined
  /** The CID of the directory that it is a part of: where that is denied, so is this. */
  directoryCid: string | undefined
  /** As `Item` has it: `size` is then that of the CAR. */
  kind: 'car' | null
}

/** The item with this object id once it is stored. */
export async function selectStoredItem(db: D1Database, id: string): Promise<StoredItem | undefined> {
  const row = await db
    .prepare(
      `SELECT name, mimetype, blockchain, size, stored_size, cid, upload_kind, index_txid, ${TXIDS} AS txids,
         (SELECT d.cid FROM items d WHERE d.id = items.part_of) AS directory_cid
       FROM items LEFT JOIN item_txids AS t ON item_id = id WHERE id = ? AND ${inState('stored')}`,
    )
    .bind(id)
    .first()
  if (!row || !isStorageTarget(row.blockchain)) return undefined
  return {
    id,
    name: String(row.name),
    mimetype: String(row.mimetype),
    blockchain: row.blockchain,
    size: Number(row.size),
    storedSize: Number(row.stored_size),
    txids: typeof row.txids === 'string' ? (row.txids.match(/.{64}/g) ?? []) : [],
    index: typeof row.index_txid === 'string' ? row.index_txid : undefined,
    cid: typeof row.cid === 'string' ? row.cid : undefined,
    directoryCid: typeof row.directory_cid === 'string' ? row.directory_cid : undefined,
    kind: row.upload_kind === 'car' ? row.upload_kind : null,
  }
}
