import { add, type Row, read } from '../../../rows.ts'

/** Every state of a transaction of ours. */
export const STATES = ['signed', 'sent', 'mined', 'dead']

let seq = 0

/** Transactions of tx chain 1, each in its place there. */
export const addTransactions = (...rows: Row[]) =>
  add('transactions', ...rows.map((row) => ({ seq: ++seq, dead: Number(row.state === 'dead'), ...row })))

/** A column of all transactions by their txids, those of Dogecoin told apart; only where the condition holds. */
export const column = async (name: string, condition = 'true') => {
  const found = await read('transactions', 'blockchain || txid', `IIF(${condition}, ${name}, 'not looked at')`)
  return Object.fromEntries(
    Object.entries(found).map(([key, value]) => [
      key.replace('Bitcoin', '').replace('Dogecoin', 'of Dogecoin: '),
      value,
    ]),
  )
}
