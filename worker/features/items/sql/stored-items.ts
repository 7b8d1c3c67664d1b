import type { StorageTarget } from '../../../../protocol/chains.ts'
import { type Row, rowReader } from '../../../platform/d1/row-reader.ts'
import { inState } from './item-state.ts'
import { readTxids, TXIDS } from './txids.ts'

/** An item that is stored, as its readers need it; sizes in bytes. */
export interface StoredItem {
  id: string
  name: string
  mimetype: string
  /** How often `mimetype` was corrected. */
  typeChanges: number
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
  kind: 'car' | undefined
  /** When its owner took it down, in milliseconds. */
  removedAt: number | undefined
}

const toStored = rowReader<StoredItem>({ txids: readTxids })

/** The item with this object id once it is stored. */
export async function selectStoredItem(db: D1Database, id: string): Promise<StoredItem | undefined> {
  const row = await db
    .prepare(
      `SELECT id, name, mimetype, type_changes, blockchain, size, stored_size, cid, upload_kind AS kind, removed_at, index_txid AS "index",
         IFNULL(${TXIDS}, '') AS txids, (SELECT d.cid FROM items d WHERE d.id = items.part_of) AS directory_cid
       FROM items LEFT JOIN item_txids AS t ON item_id = id WHERE id = ? AND ${inState('stored')}`,
    )
    .bind(id)
    .first<Row<StoredItem>>()
  return row ? toStored(row) : undefined
}

/** Whether this object id is that of a stored item. */
export async function isStoredItem(db: D1Database, id: string): Promise<boolean> {
  return (
    (await db
      .prepare(`SELECT 1 FROM items WHERE id = ? AND ${inState('stored')}`)
      .bind(id)
      .first()) !== null
  )
}
