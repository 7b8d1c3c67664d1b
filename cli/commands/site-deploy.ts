import { resolve } from 'node:path'
import { counted } from '../../client/counted.ts'
import { MAX_DIRECTORY_FILES } from '../../contract/limits.ts'
import { findIndexName } from '../../protocol/site-index.ts'
import { openAccount } from '../account/open-account.ts'
import { readContent } from '../content/read-content.ts'
import { checkDepth } from '../content/website.ts'
import { compareStored, describeChanged } from '../items/compare-stored.ts'
import { type OrderReport, orderOutcome } from '../items/order-outcome.ts'
import { storeContent } from '../items/store-content.ts'
import { readMaxFee, requireLimit } from '../pay/confirm-price.ts'
import { targetName } from '../pay/target-name.ts'
import { waitForItems } from '../pay/wait-for-items.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import type { Json, Outcome } from '../run/outcome.ts'
import { type Claim, claimDomain } from '../site/claim-domain.ts'
import { chooseSite, openSite, requireDomain, requireSite } from '../site/find-site.ts'
import { addVersion, addWaitingVersion, confirmFault, showVersion } from '../site/show-version.ts'
import { acceptFaults } from '../site/site-faults.ts'
import { saveSite } from '../site/site-file.ts'
import { waitForVersion } from '../site/wait-for-version.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, env, output, signal } = context
  const tries = line.has('try-first')
  if (tries && line.has('domain')) throw usageError('--try-first and --domain exclude each other.')
  const target = targetName(line.value('to') ?? 'ipfs')
  readMaxFee(context)
  requireLimit(context)
  const content = await readContent(context, line.word(0), MAX_DIRECTORY_FILES)
  if (content.kind !== 'folder') throw usageError('A site must be a folder.')
  const index = findIndexName(content.files.map(({ path }) => path))
  const page = content.files.find(({ path }) => path === index)
  if (!page) throw usageError(`There is no index.html in ${line.word(0)}.`, 'It is the page that visitors see first.')
  checkDepth(content, true)
  const folder = resolve(line.word(0))
  await requireSite(context, folder)
  const account = await openAccount(context)
  const { client, api } = account
  // The site, and whether the domain is available, must be known before anything is paid.
  const destination = await chooseSite(context, client, { api, folder, suggestion: content.name })
  await requireDomain(context, client)
  if (!destination.site)
    output.note(`There is no site named ${destination.name}; it is created when the folder is stored.`)
  let accepted = false
  const report = await storeContent(context, account, content, {
    target,
    website: true,
    linkKnown: target === 'IPFS',
    wait: line.has('wait'),
    async acceptFaults(found) {
      accepted = await acceptFaults(context, found)
      return accepted
    },
  })
  const sent = report.known.length > 0 ? 0 : content.files.length - report.linked.length
  if (!report.dryRun)
    output.note(
      `${sent} of ${counted(content.files.length, 'file')} sent, ${content.files.length - sent} already there.`,
    )
  const stored = orderOutcome(report, env)
  const [item] = report.items
  if (report.payments.length > 0 && stored.exitCode === EXIT.pending) {
    const pending = { ...stored, ...unpaid(report, tries) }
    if (tries || !item) return withSite(pending, null)
    const site = await openSite(context, client, { api, destination })
    if (destination.asked) await saveSite(context, folder, { api: api.origin, site: site.id })
    const { number } = await addWaitingVersion({ client, signal }, site, item.id)
    return withSite(pending, { id: site.id, url: site.url, version: number, domain: null })
  }
  if (report.dryRun || !item || stored.error) return withSite(stored, null)
  const [done] = await waitForItems(context, client, [item.id])
  const finished: OrderReport = { ...report, items: done ? [done] : [] }
  const after = orderOutcome(finished, env)
  if (after.error) return withSite(after, null)
  // Content that was stored at once has already been read back.
  if (done && item.status !== '200 OK') {
    const files = [{ path: content.name, id: done.id }]
    const changed = await compareStored(context, account, content, { items: [done], files, hashes: report.hashes })
    for (const sentence of describeChanged(changed)) output.note(sentence)
    finished.changed = changed
  }
  const latest = orderOutcome(finished, env)
  const site = await openSite(context, client, { api, destination })
  if (destination.asked) await saveSite(context, folder, { api: api.origin, site: site.id })
  if (tries) {
    const { number, url } = await addVersion({ client, signal }, site, item.id)
    output.endStep()
    const text = [...(latest.text ?? []), `site     ${site.url}`, `version  ${number}, not shown: ${url}`]
    return withSite({ ...latest, text }, { id: site.id, url, version: number, domain: null })
  }
  const version = await showVersion({ client, signal }, site, item.id, async (fault) => {
    return accepted || confirmFault(context, fault)
  })
  const versionOf = async (root: string | undefined) => {
    for await (const { number, item: id } of client.sites.versions(site.id, { signal })) {
      if (root !== undefined && (await client.items.get(id, { signal })).cid === root) return `version ${number}`
    }
    return 'another version'
  }
  const sha256 = report.hashes.find(({ path }) => path === page.path)?.sha256 ?? ''
  const shown = { size: page.size, sha256 }
  await waitForVersion(context, { url: new URL(site.url), page: shown, versionOf })
  const host = line.value('domain')
  const claim = host === undefined ? undefined : await claimDomain(client, site.id, host, signal)
  const result = {
    id: site.id,
    url: site.url,
    version: version.number,
    domain: claim ? { ...claim, record: claim.record ?? null } : null,
  }
  const text = [...(latest.text ?? []), `site     ${site.url}`, `version  ${version.number}`]
  if (claim && claim.status !== 'active') return withSite({ ...latest, text, ...waiting(claim) }, result)
  if (claim) {
    const url = new URL(site.url)
    url.hostname = claim.host
    await waitForVersion(context, { url, page: shown, versionOf })
    text.push(`domain   ${url.href}`)
  }
  output.endStep()
  return withSite({ ...latest, text }, result)
}

/** The fields of a put, and those of the site. */
function withSite(outcome: Outcome, site: Json): Outcome {
  const { result } = outcome
  const fields = typeof result === 'object' && result !== null && !Array.isArray(result) ? result : {}
  return { ...outcome, result: { ...fields, site } }
}

function unpaid({ payments }: OrderReport, tries: boolean): Pick<Outcome, 'exitCode' | 'error'> {
  const message = `The version is not paid yet: ${payments.length === 1 ? 'one payment is' : `${payments.length} payments are`} open.`
  const hint = tries
    ? 'Pay and run the same command again, or use --wait or --pay-from-balance.'
    : 'Once it is paid and stored, the site shows it by itself. To wait for that, run the same command again.'
  return { exitCode: EXIT.pending, error: { code: 'unpaid', message, hint } }
}

function waiting({ host, record }: Claim): Pick<Outcome, 'exitCode' | 'error'> {
  const message = `The version is live on the host of the site, but ${host} does not point to it yet.`
  const hint = record === undefined ? 'Put its DNS right.' : `Make this DNS record: ${record}`
  const error = { code: 'domain_waiting', message, hint: `${hint} Then run the same command again.` }
  return { exitCode: EXIT.pending, error }
}
