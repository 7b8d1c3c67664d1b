import { useEffect } from 'preact/hooks'
import type { StorageTarget } from '../../../protocol/chains.ts'
import type { Schemas } from '../../api/client.ts'
import { type ChosenFile, refusedFiles, topEntries } from '../../core/chosen-files.ts'
import { refusalSentence } from '../../core/refusal-sentence.ts'
import { groupDigits } from '../../core/size-text.ts'
import { FieldError } from '../../parts/field.tsx'
import { Section } from '../../parts/page.tsx'
import { texts } from '../../texts/index.ts'
import type { FileSource } from '../../upload/read-dropped.ts'
import { Age, TargetRow } from './target-row.tsx'
import { type PriceNow, priceOf, useEstimates } from './use-estimates.ts'
import { useStoredSizes } from './use-stored-sizes.ts'

/** Refusals that are spelled out; the rest is a count. */
const MAX_SHOWN = 5

/** The targets with what each means, costs and takes for these files. */
export function TargetList(props: {
  files: readonly ChosenFile<FileSource>[]
  targets: readonly Schemas['Target'][]
  value: StorageTarget
  onValue(target: StorageTarget): void
  onFiles(kept: ReadonlySet<string>): void
  onStore(price: PriceNow | undefined): void
}) {
  const { files, targets } = props
  const possible = targets.filter((target) => faultOf(target, files) === undefined)
  const sizes = useStoredSizes(files)
  const estimates = useEstimates(files, possible, sizes)
  const stored = sizes?.reduce((sum, size) => sum + size, 0)
  const chosen = possible.some(({ blockchain }) => blockchain === props.value) ? props.value : possible[0]?.blockchain
  useEffect(() => {
    if (chosen !== undefined && chosen !== props.value) props.onValue(chosen)
  }, [chosen, props.value, props.onValue])
  const readAt = Object.values(estimates).find((estimate) => estimate && 'readAt' in estimate)
  return (
    <>
      <Section title={texts.store.where} aside={readAt && 'readAt' in readAt && <Age readAt={readAt.readAt} />}>
        <fieldset>
          <legend class="vh">{texts.store.where}</legend>
          {targets.map((target) => {
            const fault = faultOf(target, files)
            return (
              <TargetRow
                key={target.blockchain}
                target={target}
                checked={target.blockchain === chosen}
                onCheck={() => props.onValue(target.blockchain)}
                estimate={estimates[target.blockchain]}
                means={meaning(target.blockchain, files)}
                atMost
                stored={target.blockchain === 'IPFS' ? undefined : stored}
                fault={
                  fault && (
                    <Refused target={target} fault={fault} files={files} targets={targets} onFiles={props.onFiles} />
                  )
                }
              />
            )
          })}
        </fieldset>
      </Section>
      <div class="row between foot">
        <p class="quiet">{chosen === 'IPFS' ? texts.store.payAfterIpfs : texts.store.payAfter}</p>
        <button
          type="button"
          class="btn primary big"
          disabled={chosen === undefined}
          onClick={() => props.onStore(priceOf(chosen && estimates[chosen]))}
        >
          {texts.store.upload(files.length)}
        </button>
      </div>
    </>
  )
}

type Fault =
  | { kind: 'down'; text: string }
  | { kind: 'many' }
  | { kind: 'files'; refusals: ReturnType<typeof refusedFiles> }

function faultOf(target: Schemas['Target'], files: readonly ChosenFile[]): Fault | undefined {
  if (!target.available) return { kind: 'down', text: target.reason ?? texts.store.unavailable(target.blockchain) }
  const refusals = refusedFiles(files, target)
  if (refusals.length > 0) return { kind: 'files', refusals }
  return files.length > target.maxFiles ? { kind: 'many' } : undefined
}

function Refused(props: {
  target: Schemas['Target']
  fault: Fault
  files: readonly ChosenFile[]
  targets: readonly Schemas['Target'][]
  onFiles(kept: ReadonlySet<string>): void
}) {
  const { target, fault, files } = props
  if (fault.kind === 'down') return <FieldError>{fault.text}</FieldError>
  if (fault.kind === 'many') {
    return (
      <FieldError>
        {texts.store.tooMany(groupDigits(files.length), target.blockchain, groupDigits(target.maxFiles))}
      </FieldError>
    )
  }
  const leave = (paths: readonly string[]) => {
    const gone = new Set(paths)
    props.onFiles(new Set(files.map(({ path }) => path).filter((path) => !gone.has(path))))
  }
  const { refusals } = fault
  return (
    <>
      {refusals.slice(0, MAX_SHOWN).map((refusal) => (
        <div key={refusal.path} class="refusal">
          <FieldError>{refusalSentence(refusal, target.blockchain, props.targets)}</FieldError>
          <button
            type="button"
            class="btn plain"
            aria-label={texts.store.leaveOut(refusal.path)}
            onClick={() => leave([refusal.path])}
          >
            {texts.store.leaveItOut}
          </button>
        </div>
      ))}
      {refusals.length > 1 && (
        <p>
          {refusals.length > MAX_SHOWN && texts.store.moreRefused(refusals.length - MAX_SHOWN)}{' '}
          <button type="button" class="btn plain" onClick={() => leave(refusals.map(({ path }) => path))}>
            {texts.store.leaveAllOut(refusals.length)}
          </button>
        </p>
      )}
    </>
  )
}

function meaning(blockchain: StorageTarget, files: readonly ChosenFile[]): string {
  const entries = topEntries(files)
  const folder = entries.find((entry) => entry.folder)
  if (!folder) return texts.store.means[blockchain]
  return blockchain === 'IPFS'
    ? texts.store.itemsOnIpfs(entries.length, folder.name)
    : texts.store.itemsOnChain(files.length)
}
