import { useEffect, useState } from 'preact/hooks'
import { MAX_ESTIMATED_FILES } from '../../../contract/limits.ts'
import { api, type Schemas } from '../../api/client.ts'
import { type ChosenFile, mostBytes } from '../../core/chosen-files.ts'
import { coinsText, unitsOf } from '../../core/coins.ts'
import { sizeText } from '../../core/size-text.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { Approximate } from '../../parts/approximate.tsx'
import { readPrices } from '../../shell/prices.ts'
import { texts } from '../../texts/index.ts'
import { readDropped, readPicked } from '../../upload/read-dropped.ts'
import { DropArea, PickButton } from '../store/drop-zone.tsx'
import { priceOf, useEstimates } from '../store/use-estimates.ts'

/** What files would cost, for whoever has no account: only their sizes are sent. */
export default function PriceOfFiles() {
  const targets = useLoad(async () => (await api.GET('/v0/targets')).targets, [])
  const [files, setFiles] = useState<readonly ChosenFile[]>([])
  useEffect(() => void readPrices(), [])
  return (
    <DropArea
      slim
      label={texts.doorPrice.title}
      onDrop={async (transfer) => {
        const dropped = await readDropped(transfer)
        setFiles(dropped)
      }}
    >
      {(over) => (
        <div class="stack">
          <h2>{over ? texts.store.dropNow : texts.doorPrice.title}</h2>
          {files.length === 0 ? (
            <p class="quiet small">{texts.doorPrice.lead}</p>
          ) : (
            <Costs files={files} targets={targets.data ?? []} />
          )}
          <p>
            <PickButton onPick={(list) => setFiles(readPicked(list))}>{texts.doorPrice.choose}</PickButton>
          </p>
        </div>
      )}
    </DropArea>
  )
}

function Costs({ files, targets }: { files: readonly ChosenFile[]; targets: readonly Schemas['Target'][] }) {
  const largest = Math.max(...files.map(({ size }) => size))
  const many = files.length > MAX_ESTIMATED_FILES
  const able = many ? [] : targets.filter((target) => target.available && mostBytes(target) >= largest)
  const estimates = useEstimates(able.map(({ blockchain }) => ({ blockchain, files, about: false })))
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return (
    <div role="status">
      <p>{texts.doorPrice.what(files.length, files[0]?.path ?? '', sizeText(bytes))}</p>
      {many && <p>{texts.doorPrice.many}</p>}
      {!many && (
        <dl class="costs">
          {targets.map((target) => {
            const price = priceOf(estimates[target.blockchain])
            const units = price && unitsOf(price.amount)
            return (
              <div key={target.blockchain}>
                <dt>{texts.where[target.blockchain]}</dt>
                <dd>
                  {price && units !== undefined ? (
                    <>
                      {texts.store.atMost} {coinsText(units, price.paidIn)}{' '}
                      <Approximate units={units} chain={price.paidIn} />
                    </>
                  ) : !able.includes(target) ? (
                    texts.store.tooLargeHere
                  ) : estimates[target.blockchain] ? (
                    texts.store.noPrice
                  ) : (
                    '…'
                  )}
                </dd>
              </div>
            )
          })}
        </dl>
      )}
    </div>
  )
}
