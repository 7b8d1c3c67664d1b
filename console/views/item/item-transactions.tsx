import { api, type Schemas } from '../../api/client.ts'
import { groupDigits } from '../../core/size-text.ts'
import { momentText } from '../../core/time-text.ts'
import { atCursor, useList } from '../../hooks/use-list.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { Depth } from '../../parts/motif.tsx'
import { Reading } from '../../parts/reading.tsx'
import { TableHead } from '../../parts/table.tsx'
import { texts } from '../../texts/index.ts'

type Transaction = Schemas['ItemTransaction']

/**
 * The transactions of an item with their depth. Until a transaction is deep enough its index is shown instead of its
 * txid.
 */
export function ItemTransactions({ item }: { item: { id: string } }) {
  const read = (cursor?: string) =>
    api.GET('/v0/item/{id}/transactions', { params: { path: { id: item.id }, query: atCursor(cursor) } })
  const list = useList(read, 'transactions', 'index', [item.id], ['item.progress', 'item.stored'])
  if (!list.data) return <Reading of={list} what={texts.item.transactionList} rows={3} />
  const needed = list.data.confirmations
  return (
    <>
      <table class="table" aria-label={texts.item.transactionList}>
        <TableHead columns={[texts.item.transaction, { num: texts.item.bytes }, texts.item.depth]} />
        <tbody>
          {list.rows.map((each) => (
            <tr key={each.index}>
              <td class="full">
                {each.txid ? (
                  <span class="row tight">
                    <code title={each.txid}>{`${each.txid.slice(0, 12)}…${each.txid.slice(-6)}`}</code>
                    <CopyButton
                      class="btn icon plain no-text"
                      text={each.txid}
                      what={texts.item.number(each.index + 1)}
                    />
                  </span>
                ) : (
                  texts.item.number(each.index + 1)
                )}
              </td>
              <td class="num" data-l={texts.item.bytes}>
                {groupDigits(each.bytes)}
              </td>
              <td class="push">
                <DepthOf transaction={each} needed={needed} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <MoreButton more={list.more} />
    </>
  )
}

function DepthOf({ transaction, needed }: { transaction: Transaction; needed: number }) {
  const { state, depth, lastSeen } = transaction
  const text =
    state === 'waiting' ? texts.item.notSent : depth === 0 ? texts.item.sent : texts.item.deep(groupDigits(depth))
  return (
    <span class="row tight">
      <Depth depth={depth} needed={needed} text={text} sent={state !== 'waiting'} />
      {lastSeen !== null && <span class="quiet small">{texts.item.lastSeen(momentText(lastSeen))}</span>}
    </span>
  )
}
