import type { Blockchain } from '../../../protocol/chains.ts'
import type { PackedPlace } from '../../platform/bindings.ts'

/** Rows that one statement writes. */
const ROWS_WRITTEN = 1000
/** Rows that one call deletes. */
const ROWS_DELETED = 25_000

/**
 * Which transactions are in which packs, in the storage of one fetcher. A transaction has one place: the first one added.
 * Places are hints: the bytes that are read there are hashed.
 */
export class PackIndex {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    sql.exec(
      `CREATE TABLE IF NOT EXISTS packed (
         blockchain TEXT NOT NULL, txid TEXT NOT NULL, pack TEXT NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL,
         PRIMARY KEY (blockchain, txid)) WITHOUT ROWID`,
    )
    sql.exec('CREATE INDEX IF NOT EXISTS packed_by_pack ON packed (pack)')
  }

  /** The places of those that have one. */
  findPlaces(blockchain: Blockchain, txids: readonly string[]): PackedPlace[] {
    const found = this.#sql.exec<Record<keyof PackedPlace, SqlStorageValue>>(
      `SELECT txid, pack, offset, length FROM json_each(?2) AS asked
       JOIN packed ON packed.blockchain = ?1 AND packed.txid = asked.value`,
      blockchain,
      JSON.stringify(txids),
    )
    return [...found].map(({ txid, pack, offset, length }) => ({
      txid: String(txid),
      pack: String(pack),
      offset: Number(offset),
      length: Number(length),
    }))
  }

  /** Adds places; an existing place of a transaction is not replaced. */
  addPlaces(blockchain: Blockchain, places: readonly PackedPlace[]): void {
    for (let start = 0; start < places.length; start += ROWS_WRITTEN) {
      const rows = places
        .slice(start, start + ROWS_WRITTEN)
        .map(({ txid, pack, offset, length }) => [txid, pack, offset, length])
      this.#sql.exec(
        `INSERT OR IGNORE INTO packed (blockchain, txid, pack, offset, length)
         SELECT ?1, value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?2)`,
        blockchain,
        JSON.stringify(rows),
      )
    }
  }

  /** Forgets a pack that is not there. */
  forgetPack(pack: string): void {
    this.#sql.exec('DELETE FROM packed WHERE pack = ?', pack)
  }

  /** Forgets packs whose ids are below this one, some rows a call. */
  forgetBelow(pack: string): void {
    this.#sql.exec(
      `DELETE FROM packed WHERE (blockchain, txid) IN (SELECT blockchain, txid FROM packed WHERE pack < ? LIMIT ?)`,
      pack,
      ROWS_DELETED,
    )
  }
}
