import { useState } from 'preact/hooks'
import { itemState } from '../../../client/item-state.ts'
import { api, type Schemas } from '../../api/client.ts'
import { sizeText } from '../../core/size-text.ts'
import { momentText } from '../../core/time-text.ts'
import { useTask } from '../../hooks/use-task.ts'
import { ActDialog } from '../../parts/dialog.tsx'
import { Failed } from '../../parts/failed.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Block, HookMark } from '../../parts/motif.tsx'
import { State } from '../../parts/notice.tsx'
import { texts } from '../../texts/index.ts'
import { siteTexts } from '../../texts/sites.ts'

type Version = Schemas['SiteVersion']

/** The versions of a site, newest first; any of them can be made current. */
export function Versions(props: { site: Schemas['Site']; versions: readonly Version[]; onChanged(): void }) {
  const { site, versions } = props
  const [making, setMaking] = useState<number>()
  const [asking, setAsking] = useState<Version>()
  const { busy, error, run } = useTask()
  const path = { id: site.id }
  const switchTo = async ({ number: version }: Version, confirm: boolean) => {
    await api.PUT('/v0/site/{id}/current', { params: { path }, body: { version, confirm } })
    props.onChanged()
  }
  /** A version that would respond with errors must be confirmed first. */
  const make = (version: Version) =>
    run(async () => {
      setMaking(version.number)
      const { problems } = await api.GET('/v0/item/{id}/problems', { params: { path: { id: version.item } } })
      if (problems.some(({ effect }) => effect === 'fails')) setAsking(version)
      else await switchTo(version, false)
    })
  return (
    <>
      {error && <Failed error={error} />}
      <ol class="steps versions">
        {versions.map((version) => {
          const current = version.number === site.version
          const fresh = version.periods.length === 0
          return (
            <li key={version.number} class={fresh ? 'step ahead' : 'step'} aria-current={current ? 'true' : undefined}>
              <span class="mark">{current ? <HookMark /> : <Block fill={fresh ? 'hollow' : 'full'} />}</span>
              <div class="row between">
                <div>
                  <h2 class="on">
                    {siteTexts.version(version.number, version.note ?? '')}{' '}
                    {current && <State block="full">{siteTexts.current}</State>}
                    {fresh && <FreshState version={version} />}
                  </h2>
                  <p class="quiet small">{whenCurrent(version)}</p>
                </div>
                <div class="row">
                  {itemState(version) === 'stored' ? (
                    <a class="btn" href={version.url} target="_blank" rel="noreferrer">
                      <Icon name="open" />
                      {siteTexts.look}
                    </a>
                  ) : (
                    <a class="btn" href={`/console/item/${version.item}`}>
                      {siteTexts.seeItem}
                    </a>
                  )}
                  {!current && itemState(version) === 'stored' && (
                    <button
                      type="button"
                      class={fresh ? 'btn primary' : 'btn'}
                      disabled={busy}
                      onClick={() => make(version)}
                    >
                      {busy && making === version.number ? siteTexts.making : siteTexts.makeCurrent}
                    </button>
                  )}
                </div>
              </div>
            </li>
          )
        })}
      </ol>
      {asking && (
        <ActDialog
          title={siteTexts.failsTitle(asking.number)}
          act={siteTexts.failsDo}
          danger
          onClose={() => setAsking(undefined)}
          onAct={() => switchTo(asking, true)}
        >
          <p>{siteTexts.failsText}</p>
        </ActDialog>
      )}
    </>
  )
}

/** Why a version was never shown. */
function FreshState({ version }: { version: Version }) {
  if (version.current === 'site_fails') return <State kind="bad">{siteTexts.wouldFail}</State>
  if (version.current === 'when_stored') {
    return (
      <State kind="busy" icon="clock">
        {siteTexts.onceStored}
      </State>
    )
  }
  return (
    <State kind="busy" icon="look">
      {itemState(version) === 'stored' ? siteTexts.preview : siteTexts.notStored}
    </State>
  )
}

function whenCurrent(version: Version): string {
  const period = version.periods[0]
  if (!period) {
    return siteTexts.previewSince(
      momentText(version.createdAt),
      sizeText(version.size),
      texts.whereLower[version.blockchain],
    )
  }
  if (period.until === null) return siteTexts.since(momentText(period.from), period.by)
  return siteTexts.period(momentText(period.from), momentText(period.until))
}
