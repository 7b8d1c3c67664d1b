import { join } from 'node:path'
import { formatAmount } from '../../../protocol/amount.ts'
import { fillDatabase } from '../../../scripts/backup/fill-database.ts'
import { repairDatabase } from '../../../scripts/backup/repair.ts'
import { restoreStatements } from '../../../scripts/backup/restore-statements.ts'
import { differenceOf } from '../../../worker/features/operate/difference-of.ts'
import { reconcileWhenDue } from '../../../worker/features/operate/reconcile.ts'
import { selectReconciliations } from '../../../worker/features/operate/sql/reconciliations.ts'
import { requireAssigned, stopChain } from '../../../worker/features/operate/stop-chain.ts'
import { createAddress } from '../../../worker/features/payments/create-address.ts'
import { openRequest } from '../../../worker/features/payments/open-request.ts'
import { createWithdrawal } from '../../../worker/features/payouts/ask/create-withdrawal.ts'
import { cancelWithdrawal } from '../../../worker/features/payouts/end/end-withdrawal.ts'
import { assignSend } from '../../../worker/features/payouts/restore/assign-send.ts'
import { selectUnassigned } from '../../../worker/features/transactions/sql/sends.ts'
import { AppError } from '../../../worker/platform/http/errors.ts'
import { type serviceOnDaemon, USER } from '../../node/writer/service-on-daemon.ts'
import type { Random } from '../random.ts'

/** Free coins of the wallet at the beginning. */
const COINS = 24
/** Blocks after which all that is paid is stored. */
const MOST_BLOCKS = 30
/** Whether or not they are folded. */
const TXIDS = 'IIF(packed IS NULL, txids, lower(hex(packed)))'
const NOT_COPIED = /^(chain|ipfs\/cache|ipfs\/ipns|proof)\//

/** A customer and an operator at work, and what they know of it beside the service. */
export class Load {
  readonly service: Awaited<ReturnType<typeof serviceOnDaemon>>
  #random!: Random
  #items: string[] = []
  readonly #withdrawals = new Map<string, { address: string; amount: bigint; ended: boolean }>()
  #acknowledged: { items: string[]; withdrawals: string[]; txids: Record<string, unknown>[] } = {
    items: [],
    withdrawals: [],
    txids: [],
  }
  #objects = new Map<string, Uint8Array>()

  constructor(service: Awaited<ReturnType<typeof serviceOnDaemon>>) {
    this.service = service
  }

  async begin(random: Random): Promise<void> {
    this.#random = random
    this.service.d1.reset()
    this.service.bucket.objects.clear()
    // As many coins as an operator gives it: those of transactions that the database has lost are not free again.
    for (let coin = 0; coin < COINS; coin++) {
      await this.service.call('customer', 'sendtoaddress', await this.service.call('service', 'getnewaddress'), '0.1')
    }
    await this.service.confirm(1)
    await this.#deposit('3')
    await this.service.confirm(3)
  }

  /** Something that a customer does, or the chain. */
  async act(): Promise<void> {
    const acts = [
      () => this.service.work(),
      () => this.service.confirm(1),
      () => this.service.confirm(1),
      () => this.#deposit('0.3'),
      () => this.#payItem(),
      () => this.#payItem(),
      () => this.#withdraw(),
      () => this.#withdraw(),
      () => this.#cancel(),
    ]
    await this.#random.pick(acts)?.()
  }

  /** At least one item is stored, and one withdrawal is paid. */
  async finishOne(): Promise<void> {
    await this.#payItem()
    await this.#withdraw()
    await this.service.confirm(6)
  }

  /** Items, deposits and withdrawals are under way. */
  async beginMore(): Promise<void> {
    for (let n = 0; n < 3; n++) {
      await this.#payItem()
      await this.#deposit('0.3')
      await this.#withdraw()
    }
    await this.service.confirm(this.#random.integer(0, 2))
  }

  /** What the service has told its customers of before the copy is begun. */
  noteAcknowledged(): void {
    const { d1 } = this.service
    const items = d1.rows("SELECT item_id AS id FROM writes WHERE state IN ('published', 'done')")
    const paid = d1.rows("SELECT id FROM withdrawals WHERE state IN ('sent', 'confirmed')")
    this.#acknowledged = {
      items: items.map(({ id }) => String(id)),
      withdrawals: paid.map(({ id }) => String(id)),
      txids: d1.rows(`SELECT item_id, ${TXIDS} AS txids FROM item_txids`),
    }
  }

  copyObjects(): void {
    const { objects } = this.service.bucket
    this.#objects = new Map([...objects].filter(([key]) => !NOT_COPIED.test(key)))
  }

  /** Puts a copy in the place of database and bucket; the wallet and the chain are those of now. */
  async restore(folder: string, isNewAccount: boolean): Promise<void> {
    const { d1, bucket, stored } = this.service
    const filled = await fillDatabase(folder, join(folder, 'restored.sqlite'), undefined)
    repairDatabase(filled, 'copy')
    d1.rows('PRAGMA defer_foreign_keys = on')
    for (const { name } of filled.schema.triggers) d1.rows(`DROP TRIGGER "${name}"`)
    for (const table of [...filled.schema.tables, 'item_words', 'item_numbers']) d1.rows(`DELETE FROM ${table}`)
    for (const statement of restoreStatements(filled)) d1.rows(statement)
    filled.db.close()
    bucket.objects.clear()
    for (const [key, bytes] of this.#objects) bucket.objects.set(key, bytes)
    // In another account the objects are new ones.
    if (isNewAccount) stored.clear()
  }

  /** What the operator does after a restore, by the document, and then some blocks. */
  async settle(): Promise<void> {
    const { service } = this
    for (let round = 0; round < 4; round++) {
      await service.confirm(1)
      const context = service.context()
      for (const { txid } of await selectUnassigned(service.db, 100, 'Bitcoin')) {
        await assignSend(context, txid, { as: this.#kindOf(txid), account: undefined, amount: undefined }, () => [])
      }
    }
    await requireAssigned(service.context(), 'Bitcoin')
    const order = { payouts: false, writing: false, reason: 'all is assigned' }
    await stopChain({ db: service.db, now: Date.now(), record: () => [] }, 'Bitcoin', order)
    for (let block = 0; block < MOST_BLOCKS; block++) await service.confirm(1)
  }

  /** What is not as it has to be, in words. */
  async problems(): Promise<string[]> {
    const { d1, db } = this.service
    const problems: string[] = []
    d1.rows('UPDATE reconciliation_asks SET asked_at = begun_at + 1')
    await reconcileWhenDue(db, this.service.config, Date.now())
    const compared = await selectReconciliations(db)
    if (compared.length !== 1) problems.push('nothing was compared')
    for (const one of compared) {
      if (differenceOf(one) !== 0n)
        problems.push(`ledger ${one.ledger}, wallet ${one.wallet}, chain ${one.chain}, unassigned ${one.unassigned}`)
    }
    for (const id of this.#acknowledged.items) {
      const [item] = d1.rows('SELECT status FROM items WHERE id = ?', id)
      if (item?.status !== 200) problems.push(`item ${id} was stored and is ${String(item?.status)}`)
    }
    for (const { item_id, txids } of this.#acknowledged.txids) {
      const [left] = d1.rows(`SELECT ${TXIDS} AS txids FROM item_txids WHERE item_id = ?`, String(item_id))
      if (left?.txids !== txids) problems.push(`item ${String(item_id)} has other transactions`)
    }
    const waiting = d1.rows(`SELECT item_id, state FROM writes WHERE state NOT IN ('published', 'done')`)
    for (const { item_id, state } of waiting) problems.push(`item ${String(item_id)} was paid and is ${String(state)}`)
    for (const [id, { address, amount, ended }] of this.#withdrawals) {
      const received = BigInt(
        Math.round(Number(await this.service.call('customer', 'getreceivedbyaddress', address, 0)) * 1e8),
      )
      if (received > amount) problems.push(`withdrawal ${id} was paid twice`)
      if (ended && received > 0n) problems.push(`withdrawal ${id} was cancelled and paid`)
      if (this.#acknowledged.withdrawals.includes(id) && received !== amount)
        problems.push(`withdrawal ${id} was not paid`)
    }
    const stuck = d1.rows(`SELECT id, state FROM withdrawals WHERE state NOT IN ('confirmed', 'cancelled', 'refunded')`)
    for (const { id, state } of stuck) problems.push(`withdrawal ${String(id)} is ${String(state)}`)
    const aside = d1.rows('SELECT kind, id, reason FROM failed_records')
    for (const { kind, id, reason } of aside)
      problems.push(`${String(kind)} ${String(id)} is recorded as failed: ${String(reason)}`)
    return problems
  }

  async #deposit(coins: string): Promise<void> {
    await ignoreRefusal(async () => {
      const { address } = await createAddress(this.service.context(), USER, 'Bitcoin')
      await this.service.call('customer', 'sendtoaddress', address, coins)
    })
  }

  async #payItem(): Promise<void> {
    const id = `${this.#items.length}`.padStart(24, 'a')
    this.#items.push(id)
    await this.service.mergeItem(id, this.#random.integer(20, 400))
    await ignoreRefusal(async () => {
      const asked = { userId: USER, target: 'Bitcoin', ids: [id] } as const
      const opened = await openRequest(this.service.context(), asked)
      if (opened.state !== 'waiting' || this.#random.chance(0.1)) return
      await this.service.call('customer', 'sendtoaddress', opened.request.address, formatAmount(opened.request.amount))
    })
  }

  async #withdraw(): Promise<void> {
    await ignoreRefusal(async () => {
      const address = String(await this.service.call('customer', 'getnewaddress'))
      const amount = BigInt(this.#random.integer(100_000, 20_000_000))
      const order = { blockchain: 'Bitcoin', address, amount, maxFee: undefined } as const
      const { id } = JSON.parse(await createWithdrawal(this.service.context(), USER, order))
      this.#withdrawals.set(String(id), { address, amount, ended: false })
    })
  }

  async #cancel(): Promise<void> {
    const id = this.#random.pick([...this.#withdrawals.keys()])
    const known = this.#withdrawals.get(id ?? '')
    if (id === undefined || !known) return
    await ignoreRefusal(async () => {
      await cancelWithdrawal(this.service.context(), USER, id)
      known.ended = true
    })
  }

  /** Whether a transaction pays a customer; anything else that left is a write that the database has lost. */
  #kindOf(txid: string): 'withdrawal' | 'foreign' {
    return this.service.bucket.objects.has(`payouts/Bitcoin/${txid}`) ? 'withdrawal' : 'foreign'
  }
}

/** A customer is told that this can't be done now. */
async function ignoreRefusal(act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}
