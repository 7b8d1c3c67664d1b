import { counted } from '../../client/counted.ts'
import { ApiError } from '../../client/http/api-error.ts'
import { OrderJournal } from '../../client/store/order-journal.ts'
import type { PutOptions, PutProgress } from '../../client/store/put.ts'
import { fileStore } from '../../client/stores/file-store.ts'
import { userFolders } from '../../client/stores/user-folders.ts'
import type { Estimate, Item, SiteProblems } from '../../client/types.ts'
import type { StorageTarget } from '../../protocol/chains.ts'
import type { Account } from '../account/open-account.ts'
import { type ContentSource, contentFiles } from '../content/content-files.ts'
import { type Content, checked, describeSkipped } from '../content/read-content.ts'
import { checkWebsite } from '../content/website.ts'
import { type Agreement, confirmPrice, readMaxFee } from '../pay/confirm-price.ts'
import { estimatePrice } from '../pay/estimate-price.ts'
import { findTarget } from '../pay/find-target.ts'
import { payItems } from '../pay/pay-items.ts'
import { readBalance } from '../pay/read-balance.ts'
import { readWorth } from '../pay/read-worth.ts'
import { coinName } from '../pay/target-name.ts'
import { waitForItems } from '../pay/wait-for-items.ts'
import { commandLine } from '../run/command-line.ts'
import type { Context } from '../run/context.ts'
import { compareStored, describeChanged } from './compare-stored.ts'
import type { OrderReport } from './order-outcome.ts'
import { rememberOrder } from './remember-order.ts'

export interface StoreOptions {
  target: StorageTarget
  /** Make all files one directory, one item. */
  website: boolean
  /** Ask which files are known first, and send only the others. */
  linkKnown: boolean
  wait: boolean
  /** Whether content of several transactions gets an index; undefined for the chain's default. */
  index?: boolean | undefined
  /** Receives the faults of a directory whose site would answer with an error, and returns whether to go on. */
  acceptFaults: (found: SiteProblems) => boolean | Promise<boolean>
}

/**
 * Stores content: price, confirmation, upload, payment and, if wanted, waiting. If it is killed, the same call resumes.
 * A dry run ends before anything is created.
 */
export async function storeContent(
  context: Context,
  account: Account,
  content: Content,
  { target, website, linkKnown, wait, index, acceptFaults }: StoreOptions,
): Promise<OrderReport> {
  const { line, output, signal, env, keep, now } = context
  const { client } = account
  for (const sentence of describeSkipped(content.skipped)) output.note(sentence)
  const facts = await findTarget(client, target, signal)
  checked(content, facts.maxFileBytes)
  if (website) checkWebsite(content, target, facts)
  const coin = coinName(facts.paidIn)
  const place = { to: target, directory: website, index }
  const sources = contentFiles(content)
  const estimate = await estimatePrice(client, place, sources, context)
  const [balance, worth] = await Promise.all([
    readBalance(client, facts.paidIn, signal),
    readWorth(context, client, facts.paidIn),
  ])
  const { bytes, skipped } = content
  const report: OrderReport = {
    target,
    coin,
    website,
    dryRun: line.has('dry-run'),
    files: content.files.length,
    bytes,
    skipped,
    linked: [],
    known: [],
    hashes: [],
    changed: [],
    estimate,
    balance,
    items: [],
    failed: [],
    payments: [],
  }
  if (report.dryRun)
    return { ...report, ...(await inspectBegun(context, account, content, { target, website, acceptFaults })) }
  const count = content.files.length
  const agree = (files: number, price: Estimate | undefined) => {
    const own = website ? `${content.name} as one website of ${counted(count, 'file')}` : content.name
    const what = `${website || files === 1 ? own : counted(files, 'file')} on ${target}`
    return confirmPrice(context, { what, coin, estimate: price?.amount, balance, worth })
  }
  // Content that the account has already is not priced. It is known only after everything is hashed.
  let agreement: Agreement | undefined
  let price = estimate
  keep(`What was sent is kept. To resume: ${commandLine(context)}`)
  const uploaded = await client.put(putFiles(sources), {
    to: target,
    pay: false,
    linkKnown,
    index,
    anew: line.has('new'),
    signal,
    async beforeItems(files) {
      if (agreement || files.length === 0) return
      const sent = new Set(files.map(({ path }) => path))
      if (files.length < count) {
        const left = sources.filter(({ path }) => sent.has(path))
        price = await estimatePrice(client, place, left, context)
      }
      output.endStep()
      agreement = await agree(files.length, price)
    },
    onSiteProblems: acceptFaults,
    onProgress: (progress) => tell(context, progress),
    ...directoryOf(content, website),
  })
  output.endStep()
  if (uploaded.known.length > 0) output.note(haveSentence(uploaded.known, website ? 1 : count))
  const paidFor = uploaded.items.length === uploaded.ids.length && !uploaded.items.some(isUnpaid)
  if (!agreement && uploaded.ids.length > 0 && paidFor) agreement = { maxFee: readMaxFee(context), fromBalance: false }
  agreement ??= await agree(count, price)
  const store = fileStore(userFolders(env).state, { anew: false })
  const unlock = await store.lock(uploaded.order)
  try {
    await rememberOrder(userFolders(env).state, uploaded.order, {
      api: account.api.origin,
      target,
      name: content.name,
      files: count,
      at: now(),
    })
    const journal = await OrderJournal.open(store, uploaded.order, now)
    const { ids } = uploaded
    const { files: stored, ...result } = uploaded
    const done = { ...report, ...result, estimate: price }
    if (ids.length === 0) return done
    const byPath = new Map(sources.map((source) => [source.path, source]))
    const sent = new Map(
      stored.flatMap(({ path, id }) => {
        const source = byPath.get(path)
        return source ? [[id, source] as const] : []
      }),
    )
    const order = { target, facts, index, items: uploaded.items, files: sent, coin, estimate: price?.amount }
    const paying = { client, journal, order, ids, agreement, wait }
    const { payments, lost } = await payItems(context, paying)
    const gone = lost.map(([index, error]) => ({ path: content.files[index]?.path ?? '', error }))
    const waits = wait && payments.length === 0 && lost.length === 0
    const items = waits ? await waitForItems(context, client, ids) : await refreshed(context, account, uploaded.items)
    const changed = await compareStored(context, account, content, { items, files: stored, hashes: uploaded.hashes })
    for (const sentence of describeChanged(changed)) output.note(sentence)
    return { ...done, payments, items, changed, failed: [...done.failed, ...gone] }
  } finally {
    await unlock()
  }
}

const isUnpaid = ({ status }: Item) => status === '402 Payment Required'

function haveSentence(known: readonly string[], count: number): string {
  const [first = ''] = known
  if (count === 1) return `You have this already: ${first}. Nothing was sent; --new stores it again.`
  return `You have ${known.length} of ${count} already. Nothing of them was sent; --new stores them again.`
}

/** Most items of an earlier run that a dry run requests. */
const MAX_INSPECTED = 20

/** What an earlier run of the same command has done, from the local state; its items as they are now. */
async function inspectBegun(
  { line, signal }: Context,
  { client }: Account,
  content: Content,
  { target, website, acceptFaults }: Pick<StoreOptions, 'target' | 'website' | 'acceptFaults'>,
): Promise<Pick<OrderReport, 'begun' | 'items' | 'linked'>> {
  const options = { to: target, signal, onSiteProblems: acceptFaults, ...directoryOf(content, website) }
  const { state } = await client.inspect(putFiles(contentFiles(content)), options)
  if (!state || line.has('new')) return { begun: undefined, items: [], linked: [] }
  const files = [...state.files.values()]
  const merged = files.filter(({ step }) => step === 'merged')
  const ids = state.directory === undefined ? merged.map(({ id }) => id) : [state.directory]
  const items = []
  for (const id of ids.slice(0, MAX_INSPECTED)) {
    try {
      items.push(await client.items.get(id, { signal }))
    } catch (error) {
      // Deleted since; the run creates it again.
      if (!(error instanceof ApiError && error.status === 404)) throw error
    }
  }
  const sent = files.filter(({ step }) => step === 'sent' || step === 'merged')
  return {
    begun: {
      created: files.length,
      sent: sent.length,
      merged: state.directory === undefined ? merged.length : files.length,
      paid: ids.filter((id) => state.paid.has(id)).length,
    },
    items,
    linked: [...state.linked].flatMap((index) => content.files[index]?.path ?? []),
  }
}

/** The result of a payment from the balance: a single item is read again. */
async function refreshed(
  { signal }: Context,
  { client }: Account,
  items: OrderReport['items'],
): Promise<OrderReport['items']> {
  const [only] = items
  return only && items.length === 1 ? [await client.items.get(only.id, { signal })] : items
}

function putFiles(files: readonly ContentSource[]) {
  return files.map(({ path, source, mimetype }) => ({ path, mimetype, content: source }))
}

function directoryOf(
  { name, emptyFolders }: Content,
  website: boolean,
): Pick<PutOptions, 'directory' | 'emptyFolders'> {
  return website ? { directory: name, emptyFolders } : {}
}

function tell({ output }: Context, { phase, done, total }: PutProgress): void {
  output.step({ step: phase, done, total, unit: phase === 'merging' ? 'files' : 'bytes' })
}
