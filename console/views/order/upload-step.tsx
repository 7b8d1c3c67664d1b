import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { totalBytes } from '../../core/chosen-files.ts'
import { kindOf } from '../../core/media-type-of.ts'
import { isRefused, type Order, type OrderFile } from '../../core/order.ts'
import { groupDigits, shareText, sizeText } from '../../core/size-text.ts'
import { clockSecondsText, durationText } from '../../core/time-text.ts'
import { quarterOf, shareOf, uploadRate } from '../../core/upload-rate.ts'
import { online } from '../../hooks/use-online.ts'
import { announce } from '../../parts/announce.tsx'
import { ActDialog } from '../../parts/dialog.tsx'
import { FieldError } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Bar, Notice, State } from '../../parts/notice.tsx'
import { texts } from '../../texts/index.ts'
import type { LiveOrder } from '../../upload/known-orders.ts'
import { attachSources, canRequestAccess, removeFiles, requestAccess, retryFailed } from '../../upload/mend-order.ts'
import { readPicked } from '../../upload/read-dropped.ts'
import { pauseOrder, resumeOrder } from '../../upload/run-order.ts'
import { stopOrder } from '../../upload/server-orders.ts'
import { PickButton } from '../store/drop-zone.tsx'
import { problemSentence } from './problem-sentence.ts'
import { StoreElsewhere } from './refused-items.tsx'

/** Rows that are shown before "all" is pressed. */
const MAX_SHOWN = 6
const MAX_ROWS = 500
/** Error codes for which another target may accept the file. */
const TOO_LARGE = new Set(['content_too_large', 'too_many_transactions', 'item_too_large'])

/** The buttons that pause the upload and remove everything. */
export function UploadActs({ live: { order, stopped } }: { live: LiveOrder }) {
  const { route } = useLocation()
  const [asking, setAsking] = useState(false)
  // Only the tab that uploads it shows the buttons.
  if (stopped === 'other_tab') return null
  const refused = isRefused(order)
  const count = order.files.filter(({ state }) => state !== 'removed').length
  return (
    <>
      {refused ? null : order.paused ? (
        <button type="button" class="btn primary" onClick={() => resumeOrder(order.id)}>
          {texts.order.goOn}
        </button>
      ) : (
        <button type="button" class="btn" onClick={() => pauseOrder(order.id)}>
          <Icon name="pause" />
          {texts.order.pause}
        </button>
      )}
      <button type="button" class="btn plain bad" onClick={() => setAsking(true)}>
        {texts.order.stop}
      </button>
      {asking && (
        <ActDialog
          title={texts.order.stopTitle}
          act={texts.order.stopDo(count)}
          danger
          onClose={() => setAsking(false)}
          onAct={async () => {
            await stopOrder(order.id)
            announce(texts.order.ended)
            route('/console/store')
          }}
        >
          <p>{texts.order.stopText}</p>
        </ActDialog>
      )}
    </>
  )
}

/** The upload: failed files first, then those being sent, then the others. */
export function UploadStep({ live }: { live: LiveOrder }) {
  const { order, samples, underway } = live
  const [all, setAll] = useState(false)
  const files = order.files.filter(({ state }) => state !== 'removed')
  const failed = files.filter(({ state }) => state === 'failed')
  const counted = files.filter(({ state }) => state !== 'failed')
  const sent = counted.reduce((sum, file) => sum + file.held, underway)
  const total = totalBytes(counted)
  const rate = uploadRate(samples, total)
  useQuarters(files.length, sent, total)
  const sorted = [...files].sort((a, b) => ORDER[a.state] - ORDER[b.state])
  const shown = all ? sorted.slice(0, MAX_ROWS) : sorted.filter(({ state }) => state !== 'failed').slice(0, MAX_SHOWN)
  return (
    <>
      <Weather live={live} />
      {failed.length > 0 && (
        <Notice kind="bad">
          <p>
            <strong>{texts.order.failed(failed.length)}</strong>
          </p>
          <ul>
            {failed.slice(0, 20).map((file) => (
              <li key={file.path}>
                {file.path}: {problemSentence(file.problem)}
              </li>
            ))}
          </ul>
          {failed.length > 20 && <p>{texts.store.moreRefused(failed.length - 20)}</p>}
          <p class="quiet">{texts.order.failedKept}</p>
          <p class="row after-small">
            <button type="button" class="btn" onClick={() => retryFailed(order.id)}>
              {texts.order.retryAll(failed.length)}
            </button>
            <button
              type="button"
              class="btn plain"
              onClick={() =>
                void removeFiles(
                  order.id,
                  failed.map(({ path }) => path),
                )
              }
            >
              {texts.store.leaveAllOut(failed.length)}
            </button>
          </p>
          <StoreElsewhere order={order} files={failed.filter(({ problem }) => TOO_LARGE.has(problem?.code ?? ''))} />
        </Notice>
      )}
      <div class="job">
        <Bar label={texts.order.steps.upload} share={shareOf(sent, total)} />
        <div class="row between small quiet">
          <span>{texts.order.bytes(groupDigits(sent), groupDigits(total))}</span>
          {rate && !order.paused && live.stopped === undefined && online.value && (
            <span>{texts.order.rate(sizeText(rate.rate), durationText(rate.secondsLeft))}</span>
          )}
        </div>
      </div>
      {shown.map((file) => (
        <FileRow key={file.path} file={file} order={order} alone={files.length === 1} />
      ))}
      {files.length > MAX_SHOWN && (
        <p>
          <button type="button" class="btn plain" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? texts.order.showFewer : texts.order.showAll(files.length)}
          </button>
        </p>
      )}
    </>
  )
}

const ORDER: Record<OrderFile['state'], number> = { failed: 0, uploading: 1, waiting: 2, uploaded: 3, removed: 4 }

function FileRow({ file, order, alone }: { file: OrderFile; order: Order; alone: boolean }) {
  const share = shareOf(file.held, file.size)
  return (
    <div class="job">
      <div class="row between">
        <span class="name">
          <Icon name={kindOf(file.mimetype)} />
          {file.path}
        </span>
        {file.state === 'uploaded' ? (
          <State icon="tick">{texts.store.exactly(file.size)}</State>
        ) : file.state === 'failed' ? (
          <State kind="bad">{problemSentence(file.problem)}</State>
        ) : (
          <span class="row tight">
            <span class="quiet">{texts.common.of(sizeText(file.held), sizeText(file.size))}</span>
            <button
              type="button"
              class="btn icon plain"
              aria-label={texts.store.leaveOut(file.path)}
              onClick={() => void removeFiles(order.id, [file.path])}
            >
              <Icon name="cross" />
            </button>
          </span>
        )}
      </div>
      {!alone && file.state === 'uploading' && file.size > 2 ** 20 && <Bar label={file.path} share={share} />}
    </div>
  )
}

/** The first names, and the number of the others. */
function namesText(paths: readonly string[]): string {
  return texts.money.more(paths.slice(0, 3).join(', '), paths.length - 3)
}

/** The reason why the upload pauses, as one notice. */
function Weather({ live }: { live: LiveOrder }) {
  const [other, setOther] = useState<string[]>([])
  const { order, stopped, outage, lost } = live
  const clock = (ms: number) => clockSecondsText(ms / 1000)
  if (lost.length > 0) {
    const pick = (list: FileList) => setOther(attachSources(order.id, readPicked(list)))
    const wanted = order.files.filter(({ path }) => lost.includes(path))
    const share = shareText(
      wanted.reduce((sum, { held }) => sum + held, 0),
      totalBytes(wanted),
    )
    return (
      <Notice kind="warn">
        <p>
          <strong>{texts.order.waits(lost.length, ...share)}</strong>{' '}
          {canRequestAccess(live) ? texts.order.mayRead(lost.length) : texts.order.lost(lost.length, namesText(lost))}
        </p>
        {other.length > 0 && <FieldError>{texts.order.notOfIt(namesText(other), namesText(lost))}</FieldError>}
        <p class="row after-small">
          {canRequestAccess(live) && (
            <button type="button" class="btn primary" onClick={() => void requestAccess(order.id)}>
              {texts.order.allow}
            </button>
          )}
          <PickButton onPick={pick}>{texts.order.chooseAgain(lost.length)}</PickButton>
          {lost.some((path) => path.includes('/')) && (
            <PickButton folder onPick={pick}>
              {texts.order.chooseFolderAgain}
            </PickButton>
          )}
        </p>
      </Notice>
    )
  }
  if (stopped === 'other_tab') return <Notice live>{texts.order.otherTab}</Notice>
  if (stopped === 'busy') return <Notice live>{texts.order.busy}</Notice>
  if (stopped === 'offline' && outage) {
    return (
      <Notice kind="warn" icon="offline" live>
        {texts.order.offline(clock(outage.from))}
      </Notice>
    )
  }
  if (outage?.until === undefined) return null
  return <Notice live>{texts.order.outage(clock(outage.from), clock(outage.until), groupDigits(outage.held))}</Notice>
}

/** Announces the start and each quarter, once. */
function useQuarters(count: number, held: number, total: number): void {
  const said = useRef(-1)
  const quarter = quarterOf(held, total)
  useEffect(() => {
    if (said.current < 0) announce(texts.announce.started(count))
    else if (quarter > said.current && quarter < 4) announce(texts.announce.quarter(quarter))
    said.current = Math.max(said.current, quarter)
  }, [quarter, count])
}
