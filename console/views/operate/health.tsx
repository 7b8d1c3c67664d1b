import { useEffect } from 'preact/hooks'
import { BLOCKCHAINS, type Blockchain } from '../../../protocol/chains.ts'
import { api, type Schemas } from '../../api/client.ts'
import { coinsText, unitsOf } from '../../core/coins.ts'
import { groupDigits, sizeText } from '../../core/size-text.ts'
import { durationText, momentText } from '../../core/time-text.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { useNow } from '../../hooks/use-now.ts'
import { Notice, State } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { Reading } from '../../parts/reading.tsx'
import { TableHead } from '../../parts/table.tsx'
import { texts } from '../../texts/index.ts'
import { operateTexts } from '../../texts/operate.ts'

const REFRESH_MS = 5_000

type Chain = Schemas['OperateChain']

/** The state of each chain, and what the operator can do about it. */
export default function Health() {
  const health = useLoad(() => api.GET('/v0/operate/health'), [])
  const now = useNow()
  const { reload } = health
  useEffect(() => {
    const timer = setInterval(reload, REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  const { data } = health
  if (!data) {
    return (
      <Page title={operateTexts.healthTitle}>
        <Reading of={health} />
      </Page>
    )
  }
  const chains = BLOCKCHAINS.flatMap((name): [Blockchain, Chain][] => {
    const chain = data.chains[name]
    return chain ? [[name, chain]] : []
  })
  const { head } = operateTexts
  return (
    <Page
      title={operateTexts.healthTitle}
      lead={operateTexts.readAgo(durationText(Math.max(0, now - data.readAt)))}
      acts={<Summary chains={chains} />}
    >
      <Reading of={health} />
      <table class="table">
        <TableHead
          columns={[
            head.chain,
            head.state,
            ...[head.tip, head.tipAge, head.step, head.oldest, head.free].map((num) => ({ num })),
          ]}
        />
        <tbody>
          {chains.map(([name, chain]) => (
            <tr key={name}>
              <td class="full">
                <strong>{name}</strong>
              </td>
              <td class="full">
                <ChainState name={name} chain={chain} />
              </td>
              <td class="num" data-l={head.tip}>
                {chain.height === null ? '' : groupDigits(chain.height)}
              </td>
              <td class="num" data-l={head.tipAge}>
                {age(chain.tip)}
              </td>
              <td class="num" data-l={head.step}>
                {age(chain.step)}
              </td>
              <td class="num" data-l={head.oldest}>
                {oldest(chain)}
              </td>
              <td class="num" data-l={head.free}>
                {coinsText(unitsOf(chain.free), name)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {chains
        .filter(([, chain]) => chain.reason !== null)
        .map(([name, chain]) => (
          <div key={name} class="after">
            <Notice kind="bad">
              <p>
                <strong>{operateTexts.problem(name, chain.reason ?? '')}</strong>{' '}
                {chain.waiting > 0 && operateTexts.waitFor(chain.waiting)}
              </p>
              {furtherProblems(chain).map((sentence) => (
                <p key={sentence}>{sentence}</p>
              ))}
              {chain.remedy && <p class="after-small">{chain.remedy}</p>}
            </Notice>
          </div>
        ))}
      {data.database.state !== 'ok' && (
        <div class="after">
          <Notice kind={data.database.state === 'full' ? 'bad' : 'warn'}>
            <p>
              <strong>{operateTexts.databaseUsed(sizeText(data.database.bytes), sizeText(data.database.limit))}</strong>{' '}
              {data.database.daysLeft !== null && operateTexts.databaseDays(data.database.daysLeft)}
            </p>
            <p class="after-small">{operateTexts.databaseRefuses[data.database.state]}</p>
          </Notice>
        </div>
      )}
      <div class="row between quiet small after">
        <span>{operateTexts.parts(data.storage, data.gateways.up, data.gateways.of, data.mail.waiting)}</span>
        {data.reconciledAt !== null && (
          <span class={data.agrees ? undefined : 'is-bad'}>
            {data.agrees
              ? operateTexts.agrees(momentText(data.reconciledAt))
              : operateTexts.differs(momentText(data.reconciledAt))}{' '}
            <a href="/console/operate/reconciliation">{texts.nav.reconciliation}</a>
          </span>
        )}
      </div>
    </Page>
  )
}

/** The worst of all chains: which take no payments, else which need a look. */
function Summary({ chains }: { chains: readonly (readonly [Blockchain, Chain])[] }) {
  const down = chains.filter(([, { payment }]) => payment === 'down').map(([name]) => name)
  const odd = chains.filter(([, { reason }]) => reason !== null).map(([name]) => name)
  if (down.length === 0 && odd.length === 0) return <State icon="tick">{operateTexts.allWork}</State>
  return (
    <State kind="warn" icon="warning">
      {down.length > 0 ? operateTexts.noPayments(down.join(', '), down.length) : operateTexts.needsLook(odd.join(', '))}
    </State>
  )
}

function ChainState({ name, chain }: { name: Blockchain; chain: Chain }) {
  if (chain.locked || chain.payment === 'down') {
    return <State kind="bad">{chain.locked ? operateTexts.locked : operateTexts.noPayments(name, 1)}</State>
  }
  const stopped = new Set(chain.stops.map(({ part }) => operateTexts.stopped[part]))
  if (stopped.size === 0) return <State icon="tick">{operateTexts.works}</State>
  return (
    <State kind="warn" icon="pause">
      {[...stopped].join(', ')}
    </State>
  )
}

/** Every stop and problem of a chain that its first reason does not name. */
function furtherProblems({ reason, stops, incidents }: Chain): string[] {
  const sentences = [
    ...stops.map((stop) => ({
      of: stop.reason,
      text: operateTexts.stoppedSince(operateTexts.stopped[stop.part], momentText(stop.since), stop.reason),
    })),
    ...incidents.map((incident) => ({ of: incident.reason, text: incident.reason })),
  ]
  return sentences.filter(({ of }) => !reason?.endsWith(of)).map(({ text }) => text)
}

function age(seconds: number | null): string {
  return seconds === null ? '' : durationText(seconds)
}

/** A duration; one that is too long is shown with the usual value. */
function oldest({ oldestUnwritten, usualMinutes }: Chain) {
  if (oldestUnwritten === null) return ''
  if (oldestUnwritten <= usualMinutes * 120) return durationText(oldestUnwritten)
  return (
    <span class="is-bad">{operateTexts.usual(durationText(oldestUnwritten), durationText(usualMinutes * 60))}</span>
  )
}
