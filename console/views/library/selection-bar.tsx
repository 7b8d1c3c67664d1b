import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { HooklineError } from '../../../client/http/api-error.ts'
import { api, type Schemas } from '../../api/client.ts'
import { coinsText, unitsOf } from '../../core/coins.ts'
import { announce } from '../../parts/announce.tsx'
import { failureText } from '../../parts/failed.tsx'
import { Icon } from '../../parts/icon.tsx'
import { texts } from '../../texts/index.ts'
import { statusOf } from '../../upload/prepare-order.ts'
import { canVerify, verifyContent } from '../../verify/verify-content.ts'
import { contentOf } from '../item/verified-content.tsx'
import { askPayment } from '../money/ask-payment.ts'

/** A deletion can be taken back for so long. */
const UNDO_MS = 10_000

type Item = Schemas['Item']

/** What can be done with the selected items; says what it costs before it says Pay. */
export function SelectionBar({
  items,
  onClear,
  onChanged,
}: {
  items: readonly Item[]
  onClear(): void
  onChanged(): void
}) {
  const { route } = useLocation()
  const [cost, setCost] = useState<string>()
  const [said, setSaid] = useState<string>()
  const [deleting, setDeleting] = useState(false)
  const unpaid = items.filter((item) => statusOf(item) === 402)
  const deletable = items.filter((item) => [201, 402].includes(statusOf(item)))
  const stored = items.filter((item) => statusOf(item) === 200)
  const chain = unpaid[0]?.blockchain
  const payable =
    unpaid.length === items.length && unpaid.length > 0 && unpaid.every((item) => item.blockchain === chain)
  const key = unpaid.map(({ id }) => id).join()
  useEffect(() => {
    setCost(undefined)
    if (!payable || chain === undefined) return
    const files = unpaid.map(({ size, mimetype }) => ({ size, mimetype }))
    api.POST('/v0/estimate', { body: { blockchain: chain, files } }).then(
      ({ amount, paidIn }) => setCost(coinsText(unitsOf(amount), paidIn)),
      () => undefined,
    )
  }, [key, payable])

  const say = (sentence: string) => {
    setSaid(sentence)
    announce(sentence)
  }
  const pay = async () => {
    if (chain === undefined) return
    try {
      const { address } = await askPayment(
        chain,
        unpaid.map(({ id }) => id),
      )
      if (address === undefined) onChanged()
      else route(`/console/pay/${address}`)
    } catch (error) {
      say(error instanceof HooklineError ? failureText(error) : String(error))
    }
  }
  const remove = async () => {
    setDeleting(false)
    const failed: string[] = []
    for (const { id, name } of deletable) {
      await api.DELETE('/v0/item/{id}', { params: { path: { id } } }).catch(() => failed.push(name))
    }
    const kept = items.length - deletable.length
    say(
      [
        texts.library.deleted(deletable.length - failed.length),
        failed.length > 0 ? texts.library.notDeleted(failed.join(', ')) : '',
        kept > 0 ? texts.library.deleteSkips(kept) : '',
      ].join(' '),
    )
    onChanged()
    if (failed.length === 0 && kept === 0) onClear()
  }
  const download = async () => {
    const failed: string[] = []
    for (const item of stored) if (!(await save(item))) failed.push(item.name)
    say(
      [
        texts.library.downloaded(stored.length - failed.length),
        failed.length > 0 ? texts.library.notDownloaded(failed.join(', ')) : '',
      ].join(' '),
    )
  }
  useEffect(() => {
    if (!deleting) return
    const timer = setTimeout(remove, UNDO_MS)
    return () => clearTimeout(timer)
  }, [deleting])
  return (
    <section class="bulk" aria-label={texts.library.selection}>
      <p class="bulk-what">
        <strong>{texts.library.selected(items.length)}</strong>{' '}
        <span role="status">
          {deleting
            ? texts.library.deleteUndo(deletable.length)
            : (said ??
              (cost !== undefined
                ? texts.library.toPay(cost)
                : payable
                  ? ''
                  : unpaid.length > 0
                    ? texts.library.payUnpaidOnly
                    : ''))}
        </span>
      </p>
      <span class="row tight bulk-acts">
        {deleting ? (
          <button type="button" class="btn primary" onClick={() => setDeleting(false)}>
            {texts.common.undo}
          </button>
        ) : (
          <>
            {payable && (
              <button type="button" class="btn primary" data-shortcut="p" onClick={pay} disabled={cost === undefined}>
                {texts.library.pay(unpaid.length)}
              </button>
            )}
            {deletable.length > 0 && (
              <button type="button" class="btn" onClick={() => setDeleting(true)}>
                <Icon name="bin" />
                <span class="t">{texts.library.delete}</span>
              </button>
            )}
            {stored.length > 0 && (
              <button type="button" class="btn" onClick={download}>
                <Icon name="download" />
                <span class="t">{texts.library.download}</span>
              </button>
            )}
          </>
        )}
        <button type="button" class="btn icon" aria-label={texts.library.clear} onClick={onClear}>
          <Icon name="cross" />
        </button>
      </span>
    </section>
  )
}

/** Saves an item whose bytes were verified here; false where they were not. */
export async function save(item: Item): Promise<boolean> {
  const content = { ...contentOf(item), mimetype: 'application/octet-stream' }
  if (!canVerify(content)) return false
  const box = document.createElement('div')
  const verdict = await verifyContent(content, box)
  const link = box.querySelector('a')
  if (verdict.kind !== 'verified' || !link) return false
  link.click()
  return true
}
