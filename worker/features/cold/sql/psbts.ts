import { type Blockchain, CHAINS } from '../../../../protocol/chains.ts'
import { readStripped } from '../../../../protocol/transaction.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { type Row, readBoolean, rowReader } from '../../../platform/d1/row-reader.ts'
import type { Coin } from '../../wallet/sql/tx-chains.ts'

/** A PSBT that pays a withdrawal and has not become a transaction of ours yet; amounts in base units. */
export interface HandedPsbt {
  withdrawalId: string
  blockchain: Blockchain
  /** Of its transaction without signatures; with segwit it is the same when it is signed. */
  txid: string
  /** Base64; without segwit JSON of a raw transaction, which takes its place. */
  psbt: string
  fee: bigint
  vsize: number
  changeVout: number
  changeValue: bigint
  /** In hex; empty without change. */
  changeScript: string
  /** Milliseconds. */
  createdAt: number
  /** Whether it may be shown. */
  offered: boolean
  /** Hex, once it came back. */
  signed: string | undefined
}

/** The txid of the signed transaction; `undefined` while only its signatures will tell. Pure. */
export function signedTxid({ blockchain, txid, signed }: Pick<HandedPsbt, 'blockchain' | 'txid' | 'signed'>) {
  if (CHAINS[blockchain].segwit) return txid
  return signed === undefined ? undefined : readStripped(Buffer.from(signed, 'hex')).txid
}

const COLUMNS = `withdrawal_id, blockchain, txid, psbt, fee, vsize, change_vout, change_value, change_script, created_at, offered,
  signed`

const toPsbt = rowReader<HandedPsbt>({ fee: BigInt, changeValue: BigInt, offered: readBoolean })

/** PSBTs of a chain that are open, the oldest first. */
export async function selectPsbts(db: D1Database, blockchain: Blockchain, limit: number): Promise<HandedPsbt[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM psbts WHERE blockchain = ? ORDER BY created_at LIMIT ?`)
    .bind(blockchain, limit)
    .all<Row<HandedPsbt>>()
  return results.map(toPsbt)
}

/** The open PSBT of a withdrawal. */
export async function selectPsbt(db: D1Database, withdrawalId: string): Promise<HandedPsbt | undefined> {
  const row = await db
    .prepare(`SELECT ${COLUMNS} FROM psbts WHERE withdrawal_id = ?`)
    .bind(withdrawalId)
    .first<Row<HandedPsbt>>()
  return row ? toPsbt(row) : undefined
}

/** An output that an open PSBT spends. */
export interface PsbtInput extends Pick<Coin, 'txid' | 'vout'> {
  withdrawalId: string
}

/** What the open PSBTs of a chain spend. */
export async function selectPsbtInputs(db: D1Database, blockchain: Blockchain): Promise<PsbtInput[]> {
  const { results } = await db
    .prepare('SELECT txid, vout, withdrawal_id AS withdrawalId FROM psbt_inputs WHERE blockchain = ? LIMIT 10000')
    .bind(blockchain)
    .all<PsbtInput>()
  return results
}

/** The statements that record a PSBT that was made; they fail their batch where another has its withdrawal, or a coin of it. */
export function insertPsbtStatements(
  db: D1Database,
  made: Omit<HandedPsbt, 'offered' | 'signed'>,
  spends: readonly Coin[],
): D1PreparedStatement[] {
  const { withdrawalId, blockchain, txid, psbt, fee, vsize, changeVout, changeValue, changeScript, createdAt } = made
  return [
    db
      .prepare(
        `INSERT INTO psbts (withdrawal_id, blockchain, txid, psbt, fee, vsize, change_vout, change_value, change_script, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .bind(
        ...[withdrawalId, blockchain, txid, psbt, fee.toString(), vsize],
        ...[changeVout, changeValue.toString(), changeScript, createdAt],
      ),
    ...spends.map((coin) =>
      db
        .prepare('INSERT INTO psbt_inputs (blockchain, txid, vout, withdrawal_id) VALUES (?, ?, ?, ?)')
        .bind(blockchain, coin.txid, coin.vout, withdrawalId),
    ),
  ]
}

type Named = Pick<HandedPsbt, 'withdrawalId' | 'txid'>

/** The statement after which a PSBT is shown: its record is in the bucket, and it is counted with the payouts. */
export function markOfferedStatement(db: D1Database, { withdrawalId, txid }: Named): D1PreparedStatement {
  return db.prepare('UPDATE psbts SET offered = 1 WHERE withdrawal_id = ? AND txid = ?').bind(withdrawalId, txid)
}

/** The statements that keep a transaction, hex, that came back signed; they fail their batch where it is not handed out any more. */
export function keepSignedStatements(
  db: D1Database,
  { withdrawalId, txid }: Named,
  hex: string,
): D1PreparedStatement[] {
  return [
    assertionStatement(
      db,
      'EXISTS (SELECT 1 FROM psbts WHERE withdrawal_id = ? AND txid = ? AND offered = 1)',
      ...[withdrawalId, txid],
    ),
    assertionStatement(
      db,
      `EXISTS (SELECT 1 FROM withdrawals WHERE id = ? AND state IN ('waiting', 'sent') AND ending IS NULL)`,
      withdrawalId,
    ),
    db.prepare('UPDATE psbts SET signed = ? WHERE withdrawal_id = ? AND txid = ?').bind(hex, withdrawalId, txid),
  ]
}

/** The statements that forget a PSBT; they fail their batch where it was forgotten before. */
export function deletePsbtStatements(db: D1Database, { withdrawalId, txid }: Named): D1PreparedStatement[] {
  return [
    assertionStatement(
      db,
      'EXISTS (SELECT 1 FROM psbts WHERE withdrawal_id = ? AND txid = ?)',
      ...[withdrawalId, txid],
    ),
    db.prepare('DELETE FROM psbt_inputs WHERE withdrawal_id = ?').bind(withdrawalId),
    db.prepare('DELETE FROM psbts WHERE withdrawal_id = ?').bind(withdrawalId),
  ]
}
