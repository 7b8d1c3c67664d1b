import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { HooklineError } from '../../../client/http/api-error.ts'
import { itemState } from '../../../client/item-state.ts'
import { api, type Schemas } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import { coinsText, unitsOf } from '../../core/coins.ts'
import { listed } from '../../core/listed.ts'
import { announce } from '../../parts/announce.tsx'
import { failureText } from '../../parts/failed.tsx'
import { Icon } from '../../parts/icon.tsx'
import { RenameDialog } from '../../parts/rename-dialog.tsx'
import { texts } from '../../texts/index.ts'
import { canVerify, verifyContent } from '../../verify/verify-content.ts'
import { contentOf } from '../item/verified-content.tsx'
import { askPayment } from '../money/ask-payment.ts'
import { type Entry, move, rename } from './entry.ts'
import { MoveDialog } from './move-dialog.tsx'

/** Milliseconds in which a deletion can be undone. */
const UNDO_MS = 10_000
/** Most error sentences that are shown. */
const MOST_SAID = 3

type Item = Schemas['Item']

/** The actions for the selected items. The price is shown before the Pay button. */
export function SelectionBar({
  entries,
  onClear,
  onChanged,
}: {
  entries: readonly Entry[]
  onClear(): void
  onChanged(): void
}) {
  const { route } = useLocation()
  const [asking, setAsking] = useState<'rename' | 'move'>()
  const items = entries.flatMap(({ kind, own }) => (kind === 'item' ? [own] : []))
  const [cost, setCost] = useState<string>()
  const [said, setSaid] = useState<string>()
  const [deleting, setDeleting] = useState(false)
  const unpaid = items.filter((item) => itemState(item) === 'unpaid')
  const deletable = entries.filter(({ kind, own }) =>
    kind === 'item' ? itemState(own) === 'uploading' || itemState(own) === 'unpaid' : own.items === 0,
  )
  const [first] = entries
  const oneTarget = entries.every(({ own }) => own.blockchain === first?.own.blockchain)
  const stored = items.filter((item) => itemState(item) === 'stored')
  const chain = unpaid[0]?.blockchain
  const payable =
    unpaid.length === entries.length && unpaid.length > 0 && unpaid.every((item) => item.blockchain === chain)
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
    setSaid(texts.common.asking)
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
  const removeAll = async () => {
    setDeleting(false)
    const failed: string[] = []
    for (const entry of deletable) await remove(entry).catch(() => failed.push(entry.own.name))
    const left = entries.filter((entry) => !deletable.includes(entry))
    const full = left.filter(({ kind }) => kind === 'folder')
    const kept = left.length
    say(
      [
        texts.library.deleted(deletable.length - failed.length),
        failed.length > 0 ? texts.library.notDeleted(listed(failed)) : '',
        kept > full.length ? texts.library.deleteSkips(kept - full.length) : '',
        full.length > 0 ? texts.library.deleteFull(listed(full.map(({ own }) => own.name))) : '',
      ]
        .filter((sentence) => sentence !== '')
        .join(' '),
    )
    onChanged()
    if (failed.length === 0 && kept === 0) onClear()
  }
  const download = async () => {
    const failed: string[] = []
    setSaid(texts.done.verifying)
    for (const item of stored) if (!(await save(item))) failed.push(item.name)
    say(
      [
        texts.library.downloaded(stored.length - failed.length),
        failed.length > 0 ? texts.library.notDownloaded(listed(failed)) : '',
      ].join(' '),
    )
  }
  const moveAll = async (to: string | null) => {
    const failed: string[] = []
    for (const entry of entries) {
      await move(entry, to).catch((error: unknown) => {
        failed.push(texts.library.notMoved(entry.own.name, failureText(asFailure(error))))
      })
    }
    onChanged()
    if (failed.length === 0) onClear()
    else say([texts.library.moved(entries.length - failed.length), ...failed.slice(0, MOST_SAID)].join(' '))
  }
  useEffect(() => {
    if (!deleting) return
    const timer = setTimeout(removeAll, UNDO_MS)
    return () => clearTimeout(timer)
  }, [deleting])
  return (
    <>
      <section class="bulk" aria-label={texts.library.selection}>
        <p class="bulk-what">
          <strong>{texts.library.selected(entries.length)}</strong>{' '}
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
              {entries.length === 1 && (
                <button type="button" class="btn" onClick={() => setAsking('rename')}>
                  <Icon name="pen" />
                  <span class="t">{texts.rename.do}</span>
                </button>
              )}
              {oneTarget && (
                <button type="button" class="btn" onClick={() => setAsking('move')}>
                  <Icon name="folder" />
                  <span class="t">{texts.library.move}</span>
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
      {asking === 'rename' && first && (
        <RenameDialog
          name={first.own.name}
          onClose={() => setAsking(undefined)}
          onName={async (name) => {
            await rename(first, name)
            onClear()
            onChanged()
          }}
        />
      )}
      {asking === 'move' && first && (
        <MoveDialog
          title={
            entries.length === 1 ? texts.library.moveTitle(first.own.name) : texts.library.moveMany(entries.length)
          }
          blockchain={first.own.blockchain}
          moved={entries.map(({ own }) => own.id)}
          onClose={() => setAsking(undefined)}
          onMove={moveAll}
        />
      )}
    </>
  )
}

async function remove({ kind, own: { id } }: Entry): Promise<void> {
  const params = { path: { id } }
  if (kind === 'item') await api.DELETE('/v0/item/{id}', { params })
  else await api.DELETE('/v0/folder/{id}', { params })
}

/** Saves an item after verifying its bytes; false if that fails. */
export async function save(item: Item): Promise<boolean> {
  // A website on a chain is saved as its CAR.
  const name = item.files && item.blockchain !== 'IPFS' ? `${item.name}.car` : item.name
  const content = { ...contentOf(item), name, mimetype: 'application/octet-stream' }
  if (!canVerify(content)) return false
  const box = document.createElement('div')
  const verdict = await verifyContent(content, box)
  const link = box.querySelector('a')
  if (verdict.kind !== 'verified' || !link) return false
  link.click()
  return true
}
