import { useEffect, useMemo, useState } from 'preact/hooks'
import type { StorageTarget } from '../../../protocol/chains.ts'
import type { Schemas } from '../../api/client.ts'
import { compressedSizes } from '../../compress/compressed-sizes.ts'
import { asWebsites, estimatedSizes, storedOn } from '../../core/as-websites.ts'
import { type ChosenFile, topEntries } from '../../core/chosen-files.ts'
import { Notice } from '../../parts/notice.tsx'
import { Section } from '../../parts/page.tsx'
import { texts } from '../../texts/index.ts'
import type { FileSource } from '../../upload/read-dropped.ts'
import { ConfirmStore } from './confirm-store.tsx'
import { faultOf, Refused } from './refused-files.tsx'
import { Age, meaningOf, TargetRow } from './target-row.tsx'
import { priceOf, useEstimates } from './use-estimates.ts'

/** The targets, each with its meaning, price and duration for these files. */
export function TargetList(props: {
  files: readonly ChosenFile<FileSource>[]
  targets: readonly Schemas['Target'][]
  value: StorageTarget | undefined
  /** Whether folders become websites on a chain. */
  website: boolean
  onValue(target: StorageTarget): void
  onFiles(kept: ReadonlySet<string>): void
  onAsFiles(): void
  /** `index`: whether content of several transactions gets an index; undefined if the user was not asked. */
  onStore(index: boolean | undefined): void
}) {
  const { files, targets, website } = props
  const sizes = useCompressedSizes(files)
  const onChain = useMemo(
    () => (website ? asWebsites(files, sizes) : { files: [...files], stored: sizes && [...sizes] }),
    [files, sizes, website],
  )
  const asOn = (target: Schemas['Target']) =>
    target.blockchain === 'IPFS' ? { files: [...files], stored: undefined } : storedOn(onChain, target)
  const faults = new Map(targets.map((target) => [target, faultOf(target, asOn(target), files)]))
  const possible = targets.filter((target) => faults.get(target) === undefined)
  const estimates = useEstimates(
    possible.map((target) => {
      const { blockchain } = target
      return { blockchain, files: estimatedSizes(asOn(target), target), about: asOn(target).stored !== undefined }
    }),
  )
  const storedOf = (target: Schemas['Target']) => asOn(target).stored?.reduce((sum, size) => sum + size, 0)
  const wanted = targets.find(({ blockchain }) => blockchain === props.value)
  const fault = wanted && faults.get(wanted)
  const chosen = fault ? undefined : props.value
  const price = Object.values(estimates).map(priceOf).find(Boolean)
  return (
    <>
      {wanted && fault && (
        <Notice kind="warn" live>
          <Refused {...props} target={wanted} fault={fault} />
          <p class="row after-small">
            {possible.map(({ blockchain }) => (
              <button key={blockchain} type="button" class="btn" onClick={() => props.onValue(blockchain)}>
                {texts.store.storeInstead(blockchain)}
              </button>
            ))}
          </p>
        </Notice>
      )}
      <Section title={texts.store.where} aside={price && <Age readAt={price.readAt} />}>
        <fieldset>
          <legend class="vh">{texts.store.where}</legend>
          {targets.map((target) => {
            const fault = faults.get(target)
            return (
              <TargetRow
                key={target.blockchain}
                target={target}
                checked={target.blockchain === chosen}
                onCheck={() => props.onValue(target.blockchain)}
                estimate={estimates[target.blockchain]}
                means={meaning(target, files, website)}
                atMost
                stored={storedOf(target)}
                fault={
                  fault &&
                  (target === wanted ? (
                    <p>{meaning(target, files, website)}</p>
                  ) : (
                    <Refused {...props} target={target} fault={fault} />
                  ))
                }
              />
            )
          })}
        </fieldset>
      </Section>
      {wanted && (
        <ConfirmStore
          files={files}
          target={wanted.blockchain}
          website={website && wanted.blockchain !== 'IPFS'}
          price={priceOf(chosen && estimates[chosen])}
          holds={wanted.maxDataBytes}
          possible={chosen !== undefined}
          onStore={props.onStore}
        />
      )}
    </>
  )
}

/** The compressed size of each of `files`, once it is known. Starts again when the choice changes. */
function useCompressedSizes(files: readonly ChosenFile<FileSource>[]): readonly number[] | undefined {
  const [known, setKnown] = useState<{ files: typeof files; sizes: readonly number[] }>()
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    compressedSizes(
      files.map(({ source }) => source.file),
      signal,
    ).then((sizes) => {
      if (sizes && !signal.aborted) setKnown({ files, sizes })
    })
    return () => controller.abort()
  }, [files])
  return known?.files === files ? known.sizes : undefined
}

function meaning(target: Schemas['Target'], files: readonly ChosenFile[], website: boolean): string {
  const entries = topEntries(files)
  const folder = entries.find((entry) => entry.folder)
  if (!folder) return meaningOf(target)
  if (target.blockchain === 'IPFS') {
    return `${texts.store.itemsAsWebsite(entries.length, folder.name)} ${texts.store.ipfsKept}`
  }
  return website ? texts.store.itemsAsWebsite(entries.length, folder.name) : texts.store.itemsOnChain(files.length)
}
