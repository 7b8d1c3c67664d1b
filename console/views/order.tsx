import { useEffect, useState } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import type { HooklineError } from '../../client/http/api-error.ts'
import type { Blockchain, StorageTarget } from '../../protocol/chains.ts'
import { api } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import { isRefused, orderStep, type Step, writeProgress } from '../core/order.ts'
import { momentText } from '../core/time-text.ts'
import { useLoad } from '../hooks/use-load.ts'
import { announce } from '../parts/announce.tsx'
import { Failed } from '../parts/failed.tsx'
import { FeedLive } from '../parts/feed-live.tsx'
import { Page, WaitingRows } from '../parts/page.tsx'
import { texts } from '../texts/index.ts'
import { type LiveOrder, orders } from '../upload/known-orders.ts'
import { runOrder } from '../upload/run-order.ts'
import { readOrder } from '../upload/server-orders.ts'
import { loadOrders } from '../upload/share-orders.ts'
import { DoneOrder } from './order/done-order.tsx'
import { PayStep } from './order/pay-step.tsx'
import { PrepareStep } from './order/prepare-step.tsx'
import { Steps } from './order/steps.tsx'
import { UploadActs, UploadStep } from './order/upload-step.tsx'
import { useOrderItems } from './order/use-order-items.ts'
import { WriteStep } from './order/write-step.tsx'

/** An order from its upload to the verification of its stored content. */
export default function Order() {
  const { params } = useRoute()
  const id = params.id ?? ''
  const [read, setRead] = useState(false)
  const [error, setError] = useState<HooklineError>()
  useEffect(() => {
    void loadOrders().then(async () => {
      await readOrder(id).catch((failure: unknown) => setError(asFailure(failure)))
      setRead(true)
    })
  }, [id])
  const live = orders.value.get(id)
  const known = live !== undefined
  // The message of another tab about it may arrive later.
  useEffect(() => {
    if (read && known) void runOrder(id)
  }, [id, read, known])
  useOrderItems(live?.order)
  const paidIn = usePaidIn(live?.order.blockchain)
  const step = live && orderStep(live.order)
  useEffect(() => {
    if (step === 'prepare') announce(texts.announce.uploaded)
    if (step === 'write') announce(texts.announce.paid)
    if (step === 'done') announce(texts.announce.stored)
  }, [step])
  const crumb = { href: '/console/store', label: texts.nav.store }
  if (!live || !step) {
    return (
      <Page title={texts.nav.store} narrow crumb={crumb}>
        {error ? (
          <Failed error={error} again={() => location.reload()} />
        ) : read ? (
          <p>
            {texts.order.notFound} <a href="/console/library">{texts.failures.toLibrary}</a>
          </p>
        ) : (
          <WaitingRows />
        )}
      </Page>
    )
  }
  const { order } = live
  if (step === 'done') return <DoneOrder order={order} />
  const count = order.files.filter(({ state }) => state !== 'removed').length
  const progress = writeProgress(order.items)
  const titles: Record<Exclude<Step, 'done'>, string> = {
    upload: uploadTitle(live, count),
    prepare: isRefused(order)
      ? texts.order.refusedItems(order.items.length, order.blockchain)
      : texts.order.preparing(count),
    pay: paidIn === undefined ? texts.order.steps.pay : texts.pay.title(paidIn),
    write: texts.order.writing(progress.transactions),
  }
  const where = texts.where[order.blockchain]
  const bodies = {
    upload: <UploadStep live={live} />,
    prepare: <PrepareStep order={order} />,
    pay: <PayStep order={order} />,
    write: <WriteStep order={order} />,
  }
  return (
    <Page
      key={step}
      title={titles[step]}
      narrow={step !== 'pay'}
      crumb={{ href: '/console/store', label: texts.order.title(momentText(order.createdAt)) }}
      lead={
        step === 'pay'
          ? `${texts.library.files(count)}, ${texts.whereLower[order.blockchain]}.`
          : step === 'write'
            ? texts.order.writeLead(where)
            : texts.order.uploadLead(where)
      }
      acts={step === 'upload' || step === 'prepare' ? <UploadActs live={live} /> : <FeedLive />}
    >
      {step === 'pay' ? bodies.pay : <Steps order={order} step={step} body={bodies[step]} />}
    </Page>
  )
}

/** The chain on which a target is paid; undefined until it is loaded. */
function usePaidIn(target: StorageTarget | undefined): Blockchain | undefined {
  const { data } = useLoad(
    async () => (target === 'IPFS' ? (await api.GET('/v0/targets')).targets : undefined),
    [target],
  )
  return target === 'IPFS' ? data?.find(({ blockchain }) => blockchain === 'IPFS')?.paidIn : target
}

function uploadTitle({ order: { files, paused }, lost }: LiveOrder, count: number): string {
  if (lost.length > 0) return texts.order.waiting(lost.length)
  const failed = files.some(({ state }) => state === 'failed')
  const moving = files.some(({ state }) => state === 'waiting' || state === 'uploading')
  if (failed && !moving) return texts.order.halted
  return paused ? texts.order.paused : texts.order.uploading(count)
}
