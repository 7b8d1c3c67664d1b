import { useState } from 'preact/hooks'
import type { StorageTarget } from '../../../protocol/chains.ts'
import type { Schemas } from '../../api/client.ts'
import { mostBytes } from '../../core/chosen-files.ts'
import { Segments } from '../../parts/field.tsx'
import { Section } from '../../parts/page.tsx'
import { texts } from '../../texts/index.ts'
import { Age, meaningOf, TargetRow } from './target-row.tsx'
import { priceOf, useEstimates } from './use-estimates.ts'

const SIZES = { letter: 3.8, picture: 62.8, site: 1_400, film: 700_000 }
type SizeName = keyof typeof SIZES
const NAMES = ['letter', 'picture', 'site', 'film'] as const
const TYPES: Record<SizeName, string> = {
  letter: 'text/plain',
  picture: 'image/jpeg',
  site: 'text/html',
  film: 'video/mp4',
}

/** The current prices of usual sizes, shown before anything is chosen. */
export function SamplePrices({ targets }: { targets: readonly Schemas['Target'][] }) {
  const [name, setName] = useState<SizeName>('picture')
  const [kb, setKb] = useState(String(SIZES.picture))
  const [target, setTarget] = useState<StorageTarget>('Nativecoin')
  const size = Math.max(1, Math.round(Number.parseFloat(kb) * 1000) || 1)
  const able = targets.filter((each) => each.available && mostBytes(each) >= size)
  const files = [{ size, mimetype: TYPES[name] }]
  const estimates = useEstimates(able.map(({ blockchain }) => ({ blockchain, files, about: false })))
  const price = Object.values(estimates).map(priceOf).find(Boolean)
  return (
    <Section title={texts.store.prices} aside={price && <Age readAt={price.readAt} />}>
      <div class="row price-for">
        <span class="quiet">{texts.store.priceFor}</span>
        <Segments
          label={texts.store.priceFor}
          value={name}
          options={NAMES.map((value) => ({ value, label: texts.store.sizes[value] }))}
          onValue={(value) => {
            setName(value)
            setKb(String(SIZES[value]))
          }}
        />
        <label class="row tight">
          <span class="vh">{texts.store.sizeInKb}</span>
          <input
            class="input sm kb"
            value={kb}
            inputmode="decimal"
            onInput={(event) => setKb(event.currentTarget.value)}
          />
          <span class="quiet">{texts.store.kb}</span>
        </label>
      </div>
      <fieldset>
        <legend class="vh">{texts.store.where}</legend>
        {targets.map((each) => (
          <TargetRow
            key={each.blockchain}
            target={each}
            checked={each.blockchain === target}
            onCheck={() => setTarget(each.blockchain)}
            estimate={estimates[each.blockchain]}
            means={meaningOf(each)}
            fault={
              able.includes(each) ? undefined : (
                <p class="error">
                  <span>{each.reason ?? texts.store.tooLargeHere}</span>
                </p>
              )
            }
          />
        ))}
      </fieldset>
      <p class="quiet small note">{texts.store.estimates}</p>
    </Section>
  )
}
