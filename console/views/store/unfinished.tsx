import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { api, type Schemas } from '../../api/client.ts'
import type { ChosenFile } from '../../core/chosen-files.ts'
import { looksLike, orderStep } from '../../core/order.ts'
import { sizeText } from '../../core/size-text.ts'
import { dayText, momentText } from '../../core/time-text.ts'
import { shareOf } from '../../core/upload-rate.ts'
import { useAct } from '../../hooks/use-act.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { atCursor, usePages } from '../../hooks/use-pages.ts'
import { Failed } from '../../parts/failed.tsx'
import { FieldError } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { Bar } from '../../parts/notice.tsx'
import { Section } from '../../parts/page.tsx'
import { texts } from '../../texts/index.ts'
import { orders } from '../../upload/known-orders.ts'
import { type FileSource, readPicked } from '../../upload/read-dropped.ts'
import { adoptUpload } from '../../upload/run-order.ts'
import { PickButton } from './drop-zone.tsx'

/** Unfinished uploads of the account, from every device, and the orders of this browser that go on. */
export function Unfinished() {
  const uploads = useLoad(() => readUploads(), [], ['item.'])
  const pages = usePages(uploads.data, readUploads, ({ id }) => id)
  const open = [...orders.value.values()].filter(({ order }) => orderStep(order) !== 'done').slice(0, 5)
  const ours = new Set(open.flatMap(({ order }) => order.files.map(({ id }) => id)))
  const others = pages.rows.filter(({ id }) => !ours.has(id))
  const reload = () => {
    pages.restart()
    uploads.reload()
  }
  return (
    <>
      {open.length > 0 && (
        <Section title={texts.store.orders}>
          <ul>
            {open.map(({ order }) => (
              <li key={order.id} class="job row between">
                <a href={`/console/order/${order.id}`}>{texts.order.title(momentText(order.createdAt))}</a>
                <span class="quiet">
                  {texts.order.steps[orderStep(order)]}, {texts.whereLower[order.blockchain]}
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {uploads.error && <Failed error={uploads.error} again={uploads.reload} what={texts.store.unfinished} />}
      {(others.length > 0 || pages.more) && (
        <Section title={texts.store.unfinished}>
          <p class="quiet small">{texts.store.unfinishedLead}</p>
          {others.map((upload) => (
            <Row key={upload.id} upload={upload} onGone={reload} />
          ))}
          <MoreButton more={pages.more} />
        </Section>
      )}
    </>
  )
}

async function readUploads(cursor?: string) {
  const { uploads, cursor: next } = await api.GET('/v0/upload', { params: { query: atCursor(cursor) } })
  return { rows: uploads, cursor: next }
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
      const { isBeginningOf } = await import('../../upload/upload-file.ts')
      const same = await (looksLike(file, upload) && isBeginningOf(upload.id, file.source.file))
      if (same) route(`/console/order/${adoptUpload(upload, file)}`)
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
            onClick={() => route(`/console/order/${adoptUpload({ ...upload, id: undefined, received: 0 }, other)}`)}
          >
            {texts.store.storeAsNew}
          </button>
        </div>
      )}
    </div>
  )
}
