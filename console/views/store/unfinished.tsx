import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { STATUS_OF_STATE } from '../../../client/item-state.ts'
import { api, type Schemas } from '../../api/client.ts'
import type { ChosenFile } from '../../core/chosen-files.ts'
import { mayMatch, orderStep } from '../../core/order.ts'
import { shareText, sizeText } from '../../core/size-text.ts'
import { dayText, momentText } from '../../core/time-text.ts'
import { shareOf } from '../../core/upload-rate.ts'
import { useAct } from '../../hooks/use-act.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { Failed } from '../../parts/failed.tsx'
import { FieldError } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Bar } from '../../parts/notice.tsx'
import { Section } from '../../parts/page.tsx'
import { claims } from '../../session/access.ts'
import { texts } from '../../texts/index.ts'
import { orders } from '../../upload/known-orders.ts'
import { type FileSource, readPicked } from '../../upload/read-dropped.ts'
import { continueUpload, isRunning } from '../../upload/run-order.ts'
import { readUploads } from '../../upload/server-orders.ts'
import { PickButton } from './drop-zone.tsx'

/** Most orders in the list. */
const MAX_ORDERS = 8
/** Most orders whose missing bytes are looked up. */
const MAX_OPEN = 5

/** The account's last orders and the uploads without an order, of all devices. */
export function Unfinished() {
  const found = useLoad(readUnfinished, [], ['item.', 'request'])
  const { data } = found
  // The service may not know an order yet that was created here.
  const listed = new Set(data?.orders.map(({ order }) => order.id))
  const begun = [...orders.value.values()].filter(
    ({ order }) =>
      !listed.has(order.id) &&
      order.account === claims.value?.id &&
      orderStep(order) !== 'done' &&
      // One that the service knew, and lists no more, is gone.
      (isRunning(order.id) || order.files.every(({ id }) => id === undefined)),
  )
  return (
    <>
      {found.error && <Failed error={found.error} again={found.reload} what={texts.store.orders} />}
      {data && data.orders.length + begun.length > 0 && (
        <Section title={texts.store.orders}>
          <ul>
            {begun.map(({ order }) => (
              <li key={order.id} class="job row between">
                <a href={`/console/order/${order.id}`}>{texts.order.title(momentText(order.createdAt))}</a>
                <span class="quiet">
                  {texts.order.steps[orderStep(order)]}, {texts.whereLower[order.blockchain]}
                </span>
              </li>
            ))}
            {data.orders.map((each) => (
              <OrderRow key={each.order.id} {...each} />
            ))}
          </ul>
        </Section>
      )}
      {data && data.uploads.length > 0 && (
        <Section title={texts.store.unfinished}>
          <p class="quiet small">{texts.store.unfinishedLead}</p>
          {data.uploads.map((upload) => (
            <Row key={upload.id} upload={upload} onGone={found.reload} />
          ))}
        </Section>
      )}
    </>
  )
}

interface OpenOrder {
  order: Schemas['Order']
  /** Bytes of its unfinished uploads; undefined if there are none. */
  open: { held: number; size: number } | undefined
}

/** The last orders, and the unfinished uploads that belong to none of them. @throws {HooklineError} */
async function readUnfinished(): Promise<{ orders: OpenOrder[]; uploads: Schemas['Upload'][] }> {
  const { orders: all } = await api.GET('/v0/order', { params: { query: {} } })
  const begun = all.filter(({ counts }) => Number(counts[STATUS_OF_STATE.uploading] ?? 0) > 0)
  const uploads = await readUploads()
  const ours = new Map<string, string>()
  for (const { id } of begun.slice(0, MAX_OPEN)) {
    const { items } = await api.GET('/v0/item', { params: { query: { order: id, status: STATUS_OF_STATE.uploading } } })
    for (const item of items) ours.set(item.id, id)
  }
  const openOf = (id: string) => {
    const own = uploads.filter((upload) => ours.get(upload.id) === id)
    const sum = (of: (upload: Schemas['Upload']) => number) => own.reduce((total, upload) => total + of(upload), 0)
    return own.length === 0 ? undefined : { held: sum(({ received }) => received), size: sum(({ size }) => size) }
  }
  return {
    // Folders without a file are no order for people.
    orders: all
      .filter(({ counts }) => filesOf(counts) > 0)
      .slice(0, MAX_ORDERS)
      .map((order) => ({ order, open: openOf(order.id) })),
    uploads: uploads.filter(({ id }) => !ours.has(id)),
  }
}

/** States of files; those that need an action of the user are first. */
const STATES = ['stopped', 'uploading', 'unpaid', 'writing', 'stored'] as const

const filesOf = (counts: Schemas['Order']['counts']) =>
  Object.values(counts).reduce<number>((sum, count) => sum + Number(count), 0)

function OrderRow({ order: { id, name, blockchain, createdAt, counts }, open }: OpenOrder) {
  const state = STATES.find((each) => Number(counts[STATUS_OF_STATE[each]] ?? 0) > 0) ?? 'unknown'
  const files = filesOf(counts)
  const waits = state === 'uploading' && open && !isRunning(id) ? open : undefined
  return (
    <li class="job row between">
      <span>
        <a href={`/console/order/${id}`}>{texts.money.more(name, files - 1)}</a>{' '}
        <span class="quiet thin">
          {momentText(createdAt)}, {texts.whereLower[blockchain]}
        </span>
      </span>
      <span class="quiet">
        {waits ? texts.store.orderWaits(...shareText(waits.held, waits.size)) : texts.store.orderStates[state]}
      </span>
    </li>
  )
}

function Row({ upload, onGone }: { upload: Schemas['Upload']; onGone(): void }) {
  const { route } = useLocation()
  const [other, setOther] = useState<ChosenFile<FileSource>>()
  const [busy, setBusy] = useState(false)
  const [act, failed] = useAct()
  const pick = async (list: FileList) => {
    setBusy(true)
    await act(async () => {
      const [file] = readPicked(list)
      if (!file) return
      setOther(undefined)
      const { isBeginningOf } = await import('../../upload/send-chunks.ts')
      const same = await (mayMatch(file, upload) && isBeginningOf(upload.id, file.source.file))
      if (same) route(`/console/order/${continueUpload(upload, file)}`)
      else setOther(file)
    })
    setBusy(false)
  }
  const remove = () =>
    act(async () => {
      await api.DELETE('/v0/item/{id}', { params: { path: { id: upload.id } } })
      onGone()
    })
  return (
    <div class="job">
      <div class="row between">
        <span class="name">
          <Icon name="up" />
          <span>
            {upload.name} {upload.path && <span class="quiet thin">{texts.library.inFolder(upload.path)}</span>}
          </span>
        </span>
        <span class="row tight">
          <PickButton single onPick={(list) => void pick(list)}>
            {busy ? texts.common.loading : texts.store.chooseAgain}
          </PickButton>
          <button type="button" class="btn plain" onClick={remove} aria-label={`${texts.store.remove} ${upload.name}`}>
            {texts.store.remove}
          </button>
        </span>
      </div>
      <Bar label={upload.name} share={shareOf(upload.received, upload.size)} />
      <div class="row between small quiet">
        <span>{texts.common.of(sizeText(upload.received), sizeText(upload.size))}</span>
        <span>
          {upload.blockchain}, {texts.store.until(dayText(upload.expiresAt))}
        </span>
      </div>
      {failed}
      {other && (
        <div class="refusal">
          <FieldError>{texts.store.wrongFile(upload.name)}</FieldError>
          <button
            type="button"
            class="btn"
            onClick={() => route(`/console/order/${continueUpload({ ...upload, id: undefined, received: 0 }, other)}`)}
          >
            {texts.store.storeAsNew}
          </button>
        </div>
      )}
    </div>
  )
}
