import type { DomainStep } from '../../../../contract/site.ts'
import { STEP_STATES, STEPS, type StepName } from '../../../../contract/states.ts'
import { unixSeconds } from '../../../platform/clock.ts'
import type { DomainAnswer, SeenRecords } from './lookup-domain.ts'
import { recordText, type WantedRecord } from './wanted-records.ts'

/** One thing that has to be right for a domain to show its site. */
export type Step = DomainStep
export type Finding = Pick<Step, 'state' | 'found' | 'wanted'>
export type Findings = Partial<Record<StepName, Finding>>

/** Characters that are stored of what was found. */
const MAX_FOUND = 500

/** The findings of a check beside the steps that were checked earlier; all six, in order. `now` in milliseconds. */
export function mergeSteps(earlier: readonly Step[], findings: Findings, now: number): Step[] {
  return STEPS.map((step) => {
    const finding = findings[step]
    if (!finding) {
      const known = earlier.find((one) => one.step === step)
      return known ?? { step, state: 'unknown', found: null, wanted: null, checkedAt: null }
    }
    const found = finding.found === null ? null : finding.found.slice(0, MAX_FOUND)
    return { step, ...finding, found, checkedAt: unixSeconds(now) }
  })
}

/** The steps that a row stores; none where it has no such list. */
export function parseSteps(json: string | null): Step[] {
  if (json === null) return []
  const value: unknown = JSON.parse(json)
  return Array.isArray(value) ? value.filter(isStep) : []
}

function isStep(value: unknown): value is Step {
  const { step, state, found, wanted, checkedAt }: Record<string, unknown> = {
    ...(value instanceof Object ? value : {}),
  }
  return (
    [found, wanted].every((text) => text === null || typeof text === 'string') &&
    STEPS.some((name) => name === step) &&
    STEP_STATES.some((name) => name === state) &&
    (checkedAt === null || typeof checkedAt === 'number')
  )
}

/** The findings of the records of a host; `seen` is `undefined` where the DNS lookup failed. */
export function findRecord(
  seen: { answer: DomainAnswer; seen: SeenRecords } | undefined,
  { host, id, records }: { host: string; id: string; records: readonly [WantedRecord, WantedRecord] },
  missing: 'waiting' | 'failed',
): Pick<Findings, 'record' | 'target'> {
  const [byName, byText] = records
  const wanted = `${recordText(byName)} or ${recordText(byText)}`
  if (!seen) {
    const unknown = { state: 'unknown', found: null } as const
    return { record: { ...unknown, wanted }, target: { ...unknown, wanted: byName.content } }
  }
  const { answer } = seen
  const found = [
    ...(seen.seen.name === undefined ? [] : [`${host} CNAME ${seen.seen.name}`]),
    ...seen.seen.texts.map((text) => `${byText.name} TXT "${text}"`),
  ].join(', ')
  const record: Finding = found === '' ? { state: missing, found: null, wanted } : { state: 'ok', found, wanted: null }
  if (answer.found && answer.item === id) return { record, target: { state: 'ok', found: id, wanted: null } }
  const elsewhere = answer.found ? answer.item : (seen.seen.name ?? null)
  const state = found === '' ? missing : 'failed'
  return { record, target: { state, found: elsewhere, wanted: byName.content } }
}

/** Whether addresses of the host differ from our own host's. A list is `undefined` where the DNS lookup failed. */
export function findConflict(own: readonly string[] | undefined, ours: readonly string[] | undefined): Finding {
  if (!own || !ours) return { state: 'unknown', found: null, wanted: null }
  const wanted = ours.length > 0 ? ours.join(', ') : null
  if (own.length === 0) return { state: ours.length === 0 ? 'unknown' : 'waiting', found: null, wanted }
  if (ours.length === 0) return { state: 'unknown', found: own.join(', '), wanted }
  const foreign = own.filter((address) => !ours.includes(address))
  if (foreign.length > 0) return { state: 'failed', found: foreign.join(', '), wanted }
  return { state: 'ok', found: own.join(', '), wanted: null }
}

/** What Cloudflare says of the certificate. */
export function findCertificate(status: string | undefined): Finding {
  if (status === undefined) return { state: 'unknown', found: null, wanted: null }
  if (status === 'active') return { state: 'ok', found: status, wanted: null }
  const over = /timed_out|deleted|expired|blocked|failed|error/.test(status)
  return { state: over ? 'failed' : 'waiting', found: status, wanted: 'active' }
}
