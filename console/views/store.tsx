import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { api } from '../api/client.ts'
import { addFiles, findIndex, sortOut, topEntries, totalBytes } from '../core/chosen-files.ts'
import { sizeText } from '../core/size-text.ts'
import { useLoad } from '../hooks/use-load.ts'
import { mayBeAddress } from '../parts/address-field.tsx'
import { Failed } from '../parts/failed.tsx'
import { focusFault } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Page } from '../parts/page.tsx'
import { texts } from '../texts/index.ts'
import { becomesWebsite, type Chosen, choose, chooseNothing, chosen } from '../upload/chosen.ts'
import { readDropped, readPicked } from '../upload/read-dropped.ts'
import { startOrder } from '../upload/run-order.ts'
import { ChosenList } from './store/chosen-list.tsx'
import { DropZone, PickButton } from './store/drop-zone.tsx'
import { FolderForm } from './store/folder-form.tsx'
import { KnownFiles } from './store/known-files.tsx'
import { SamplePrices } from './store/sample-prices.tsx'
import { SiteChoice } from './store/site-choice.tsx'
import { TargetList } from './store/target-list.tsx'
import { Unfinished } from './store/unfinished.tsx'

/** The choice of files and target. Nothing is sent before the user confirms. */
export default function Store() {
  const { route } = useLocation()
  const choice = chosen()
  const { files, leftOut, target: wanted, site, onlyStore } = choice
  const website = becomesWebsite(choice)
  const [reading, setReading] = useState(false)
  const targets = useLoad(() => api.GET('/v0/targets'), [])

  // Targets that the service cannot store on now are not proposed.
  const proposed = targets.data?.targets.find(({ available }) => available)?.blockchain
  const target = wanted ?? proposed ?? 'Nativecoin'

  const add = async (found: Promise<Chosen[]> | Chosen[]) => {
    setReading(true)
    const { files, leftOut } = sortOut(await Promise.resolve(found).finally(() => setReading(false)))
    choose((now) => ({ files: addFiles(now.files, files), leftOut: addFiles(now.leftOut, leftOut) }))
  }
  const pick = (list: FileList) => void add(readPicked(list))
  const drop = (transfer: DataTransfer) => void add(readDropped(transfer))

  if (files.length === 0 && leftOut.length === 0) {
    return (
      <Page title={texts.store.title} lead={texts.store.lead}>
        <DropZone targets={targets.data?.targets ?? []} reading={reading} onPick={pick} onDrop={drop} />
        {targets.error && <Failed error={targets.error} again={targets.reload} />}
        <Unfinished />
        {targets.data && <SamplePrices targets={targets.data.targets} />}
      </Page>
    )
  }
  const count = files.length
  const [entry, ...others] = topEntries(files)
  // What is published is one website, or for a site that exists one page.
  const alone = others.length === 0 ? entry : undefined
  const isWebsite =
    alone?.folder === true && findIndex(files, alone.name).index && (target === 'IPFS' || website === true)
  const root = isWebsite || site?.id !== undefined ? alone?.name : undefined
  return (
    <Page
      title={texts.store.chosen(count)}
      lead={texts.store.nothingYet(sizeText(totalBytes(files)))}
      acts={
        <>
          <PickButton onPick={pick}>
            <Icon name="plus" />
            {texts.store.addMore}
          </PickButton>
          <PickButton onPick={pick} folder>
            {texts.store.chooseFolder}
          </PickButton>
        </>
      }
    >
      <KnownFiles files={files} target={target} website={website} />
      <ChosenList
        files={files}
        leftOut={leftOut}
        target={target}
        onFiles={(files) =>
          // What is proposed for the next folder has that one's name.
          choose(({ site }) => ({ files, ...(files.length === 0 && site?.id === undefined && { site: undefined }) }))
        }
        onLeftOut={(leftOut) => choose(() => ({ leftOut }))}
        onDrop={drop}
      />
      {website !== undefined && target !== 'IPFS' && (
        <FolderForm website={website} onWebsite={(website) => choose(() => ({ website }))} />
      )}
      {root !== undefined && (
        <SiteChoice
          key={root}
          folder={root}
          site={site}
          onlyStore={onlyStore}
          onSite={(site) => choose(() => ({ site, onlyStore: site === undefined }))}
        />
      )}
      {targets.error && <Failed error={targets.error} again={targets.reload} />}
      {targets.data && count > 0 && (
        <TargetList
          files={files}
          targets={targets.data.targets}
          value={target}
          website={website === true}
          onAsFiles={() => choose(() => ({ website: false }))}
          onValue={(target) => choose(() => ({ target }))}
          onFiles={(kept) => choose((now) => ({ files: now.files.filter(({ path }) => kept.has(path)) }))}
          onStore={(index) => {
            // The field says what is wrong with it.
            if (root !== undefined && !mayBeAddress(site?.address ?? '')) return focusFault(document.body)
            const id = startOrder(target, files, { website, index, site: root === undefined ? undefined : site })
            chooseNothing()
            route(`/console/order/${id}`)
          }}
        />
      )}
    </Page>
  )
}
