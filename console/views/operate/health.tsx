import { useEffect } from 'preact/hooks'
import { BLOCKCHAINS, type Blockchain } from '../../../protocol/chains.ts'
import { api, type Schemas } from '../../api/client.ts'
import { coinsText, unitsOf } from '../../core/coins.ts'
import { groupDigits } from '../../core/size-text.ts'
import { durationText, momentText } from '../../core/time-text.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { useNow } from '../../hooks/use-now.ts'
import { Icon } from '../../parts/icon.tsx'
import { Notice, State } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { Reading } from '../../parts/reading.tsx'
import { TableHead } from '../../parts/table.tsx'
import { texts } from '../../texts/index.ts'

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
      <Page title={texts.operate.healthTitle}>
        <Reading of={health} />
      </Page>
    )
  }
  const chains = BLOCKCHAINS.flatMap((name): [Blockchain, Chain][] => {
    const chain = data.chains[name]
    return chain ? [[name, chain]] : []
  })
  const down = chains.filter(([, chain]) => chain.payment === 'down')
  const { head } = texts.operate
  return (
    <Page
      title={texts.operate.healthTitle}
      lead={texts.operate.readAgo(durationText(Math.max(0, now - data.readAt)))}
      acts={
        down[0] ? (
          <State kind="warn" icon={<Icon name="warning" />}>
            {texts.operate.noPayments(down[0][0])}
          </State>
        ) : (
          <State icon={<Icon name="tick" />}>{texts.operate.allWork}</State>
        )
      }
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
                {chain.payment === 'up' && !chain.locked ? (
                  <State icon={<Icon name="tick" />}>{texts.operate.works}</State>
                ) : (
                  <State kind="bad" icon={<Icon name="stop" />}>
                    {chain.locked ? texts.operate.locked : texts.operate.noPayments(name)}
                  </State>
                )}
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
                <strong>{chain.reason}</strong> {chain.waiting > 0 && texts.operate.waitFor(chain.waiting)}
              </p>
              {chain.remedy && (
                <p class="after-small">
                  <code>{chain.remedy}</code>
                </p>
              )}
            </Notice>
          </div>
        ))}
      <div class="row between quiet small after">
        <span>{texts.operate.parts(data.storage, data.gateways.up, data.gateways.of, data.mail.waiting)}</span>
        {data.reconciledAt !== null && (
          <span class={data.agrees ? undefined : 'is-bad'}>
            {data.agrees
              ? texts.operate.agrees(momentText(data.reconciledAt))
              : texts.operate.differs(momentText(data.reconciledAt))}{' '}
            <a href="/console/operate/reconciliation">{texts.nav.reconciliation}</a>
          </span>
        )}
      </div>
    </Page>
  )
}

function age(seconds: number | null): string {
  return seconds === null ? '' : durationText(seconds)
}

/** A duration; one that is too long is shown with the usual value. */
function oldest({ oldestUnwritten, usualMinutes }: Chain) {
  if (oldestUnwritten === null) return ''
  if (oldestUnwritten <= usualMinutes * 120) return durationText(oldestUnwritten)
  return (
    <span class="is-bad">{texts.operate.usual(durationText(oldestUnwritten), durationText(usualMinutes * 60))}</span>
  )
}
