import { useState } from 'preact/hooks'
import { texts } from '../../texts/index.ts'
import { ItemTransactions } from './item-transactions.tsx'

/** The transactions of an item, read when they are unfolded: there can be hundreds. */
export function FoldedTransactions({ item }: { item: { id: string; transactions: number | null } }) {
  const [open, setOpen] = useState(false)
  return (
    <details class="after" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{texts.item.transactions(item.transactions ?? 0)}</summary>
      {open && <ItemTransactions item={item} />}
    </details>
  )
}
