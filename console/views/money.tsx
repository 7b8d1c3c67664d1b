import { useState } from 'preact/hooks'
import { BLOCKCHAINS, type Blockchain, CHAINS } from '../../protocol/chains.ts'
import { api, type Schemas } from '../api/client.ts'
import { changeText, coinsText, unitsOf } from '../core/coins.ts'
import { viewPayment } from '../core/payment-state.ts'
import { clockText, countdownText, dayText, momentText } from '../core/time-text.ts'
import { useAct } from '../hooks/use-act.tsx'
import { atCursor, useList } from '../hooks/use-list.ts'
import { useLoad } from '../hooks/use-load.ts'
import { useNow } from '../hooks/use-now.ts'
import { Approximate, CurrencyChoice } from '../parts/approximate.tsx'
import { CopyField } from '../parts/copy.tsx'
import { Icon } from '../parts/icon.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { Depth } from '../parts/motif.tsx'
import { State } from '../parts/notice.tsx'
import { Page, Section } from '../parts/page.tsx'
import { QrCode } from '../parts/qr-code.tsx'
import { Reading } from '../parts/reading.tsx'
import { TableHead } from '../parts/table.tsx'
import { settings } from '../shell/settings.ts'
import { texts } from '../texts/index.ts'
import { HigherFee } from './money/higher-fee.tsx'
import { saveCsv } from './money/save-csv.ts'

/** Events after which money may have moved. */
const MOVES = ['request', 'deposit.', 'withdrawal.']

/** Balances, requests, deposits, withdrawals and the ledger. */
export default function Money() {
  const profile = useLoad(() => api.GET('/v0/user'), [], MOVES)
  const requests = useList(readRequests, 'payments', 'address', [], MOVES)
  const deposits = useList(readDeposits, 'payments', 'address', [], MOVES)
  const ledger = useList(readLedger, 'entries', 'id', [], MOVES)
  const withdrawals = useList(readWithdrawals, 'withdrawals', 'id', [], ['withdrawal.'])
  const [act, failed] = useAct()
  return (
    <Page
      title={texts.money.title}
      lead={texts.money.lead}
      acts={
        <>
          <a class="btn" href="/console/money/withdraw">
            {texts.money.withdraw}
          </a>
          <a class="btn primary" href="#deposits">
            {texts.money.add}
          </a>
        </>
      }
    >
      <Reading of={profile} what={texts.nav.balance} rows={2} />
      {profile.data && profile.error && <p class="quiet small">{texts.common.asOf(clockText(profile.readAt))}</p>}
      {profile.data && <Balances profile={profile.data} />}
      <CurrencyChoice />
      <Section title={texts.money.requests}>
        <Reading of={requests} what={texts.money.requests} rows={3} />
        {requests.data && requests.rows.length === 0 && <p class="quiet after">{texts.money.noRequests}</p>}
        {requests.rows.length > 0 && <Requests requests={requests.rows} />}
        <MoreButton more={requests.more} />
      </Section>
      <Section
        id="deposits"
        title={texts.money.deposits}
        aside={<span class="quiet small">{texts.money.newAddress}</span>}
      >
        {profile.data && <DepositAddresses profile={profile.data} />}
        {deposits.data && deposits.rows.length === 0 && <p class="quiet after">{texts.money.noDeposits}</p>}
        {deposits.rows.length > 0 && <Deposits deposits={deposits.rows} />}
        <MoreButton more={deposits.more} />
      </Section>
      {withdrawals.rows.length > 0 && (
        <Section title={texts.money.withdrawals}>
          <table class="table">
            <tbody>
              {withdrawals.rows.map((each) => (
                <tr key={each.id}>
                  <td class="full">
                    <code>{each.address}</code>
                    {each.txid && (
                      <p class="small">
                        <span class="quiet">{texts.money.txid}</span> <code>{each.txid}</code>
                      </p>
                    )}
                  </td>
                  <td>{momentText(each.createdAt)}</td>
                  <td>
                    {texts.money.withdrawalStates[each.state]}
                    {each.message && <p class="quiet small">{each.message}</p>}
                    {each.since !== undefined && (
                      <p class="quiet small">{texts.money.withdrawalSince(momentText(each.since))}</p>
                    )}
                    {(each.state === 'waiting' || each.state === 'held') && (
                      <button type="button" class="btn" onClick={() => act(() => cancelWithdrawal(each.id))}>
                        {texts.money.cancelWithdrawal}
                      </button>
                    )}
                    {each.message && (each.state === 'waiting' || each.state === 'sent') && (
                      <HigherFee withdrawal={each} onPaid={withdrawals.reload} />
                    )}
                  </td>
                  <td class="num push">{coinsText(unitsOf(each.amount), each.blockchain)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <MoreButton more={withdrawals.more} />
        </Section>
      )}
      <Section
        title={texts.money.ledger}
        aside={
          <button type="button" class="btn" onClick={() => act(() => saveCsv('/v0/ledger', 'ledger.csv'))}>
            <Icon name="download" />
            {texts.money.csv}
          </button>
        }
      >
        {failed}
        <Reading of={ledger} what={texts.money.ledger} rows={3} />
        {ledger.data &&
          (ledger.rows.length === 0 ? (
            <p class="quiet after">{texts.money.noLedger}</p>
          ) : (
            <Ledger entries={ledger.rows} />
          ))}
        <MoreButton more={ledger.more} />
      </Section>
    </Page>
  )
}

const readRequests = (cursor?: string) => readPayments('request', cursor)
const readDeposits = (cursor?: string) => readPayments('deposit', cursor)

async function readPayments(kind: Schemas['Payment']['kind'], cursor?: string) {
  const page = await api.GET('/v0/payment', { params: { query: { kind, ...atCursor(cursor) } } })
  return 'payments' in page ? page : { payments: [] }
}

const readLedger = (cursor?: string) => api.GET('/v0/ledger', { params: { query: atCursor(cursor) } })
const readWithdrawals = (cursor?: string) => api.GET('/v0/withdrawal', { params: { query: atCursor(cursor) } })
const cancelWithdrawal = (id: string) => api.DELETE('/v0/withdrawal/{id}', { params: { path: { id } } })

function Balances({ profile }: { profile: Schemas['Profile'] }) {
  return (
    <dl class="balances">
      {BLOCKCHAINS.map((chain) => {
        const balance = unitsOf(profile.balances?.[chain] ?? 0)
        const pending = unitsOf(profile.pending?.[chain] ?? 0)
        const reserved = unitsOf(profile.reserved?.[chain] ?? 0)
        return (
          <div key={chain}>
            <dt>{chain}</dt>
            <dd class="big">{coinsText(balance, chain)}</dd>
            <dd class="small quiet">
              <Approximate units={balance} chain={chain} />
            </dd>
            <dd class="small quiet">
              {pending > 0n ? texts.money.onItsWay(coinsText(pending, chain)) : texts.money.nothingOnItsWay}
              {reserved > 0n && `, ${texts.money.reserved(coinsText(reserved, chain))}`}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

function Requests({ requests }: { requests: readonly Schemas['Payment'][] }) {
  const now = useNow()
  const { head } = texts.money
  return (
    <table class="table">
      <TableHead
        columns={[head.for, head.state, { num: head.received }, { num: head.amount }, { hidden: texts.money.pay }]}
      />
      <tbody>
        {requests.map((request) => {
          const view = viewPayment(request, now)
          const href = `/console/pay/${request.address}`
          return (
            <tr key={request.address}>
              <td class="full">
                <a class="name" href={href}>
                  {texts.money.more(request.names[0] ?? request.blockchain, request.items - 1)}
                </a>
              </td>
              <td>
                <RequestState request={request} now={now} />
              </td>
              <td class="num off">{coinsText(view.received, request.paidIn)}</td>
              <td class="num push">
                {coinsText(view.amount, request.paidIn)}
                <br />
                <small class="quiet">
                  <Approximate units={view.amount} chain={request.paidIn} />
                </small>
              </td>
              <td class="num push">
                {view.standing === 'open' || view.standing === 'part' ? (
                  <a class="btn" href={href}>
                    {view.standing === 'part' ? texts.money.payRest : texts.money.pay}
                  </a>
                ) : (
                  unitsOf(request.credited) > 0n && (
                    <span class="small quiet">
                      {texts.money.toBalance(coinsText(unitsOf(request.credited), request.paidIn))}
                    </span>
                  )
                )}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function RequestState({ request, now }: { request: Schemas['Payment']; now: number }) {
  const view = viewPayment(request, now)
  const ended = request.settledAt ?? request.createdAt
  switch (view.standing) {
    case 'open':
      return (
        <State kind="warn" icon="coin">
          {view.showLeft && view.left !== undefined
            ? texts.money.openLeft(countdownText(view.left))
            : texts.money.states.open}
        </State>
      )
    case 'part':
      return (
        <State kind="warn" icon="warning">
          {texts.money.missing(coinsText(view.missing, request.paidIn))}
        </State>
      )
    case 'seen':
      return <State icon="clock">{texts.pay.seen(view.depth, request.confirmations)}</State>
    case 'paid':
      return <State icon="tick">{texts.money.paidOn(momentText(ended))}</State>
    case 'expired':
      return (
        <State kind="quiet" icon="clock">
          {texts.money.ranOut(dayText(request.expiresAt ?? ended))}
        </State>
      )
    case 'cancelled':
      return <State kind="quiet">{texts.money.states.cancelled}</State>
  }
}

function DepositAddresses({ profile }: { profile: Schemas['Profile'] }) {
  const [made, setMade] = useState<Record<string, string>>({})
  const [act, failed] = useAct()
  const make = (blockchain: (typeof BLOCKCHAINS)[number]) =>
    act(async () => {
      const { address } = await api.GET('/v0/payment/{blockchain}', { params: { path: { blockchain } } })
      setMade((now) => ({ ...now, [blockchain]: address }))
    })
  // What the profile has is newer: another address takes the place of one that was paid to.
  const addressOf = (chain: Blockchain) => profile.addresses?.[chain] ?? made[chain]
  const missing = BLOCKCHAINS.filter((chain) => !addressOf(chain))
  return (
    <div class="addresses">
      {failed}
      {missing.length > 0 && (
        <p class="row tight">
          {missing.map((chain) => (
            <button key={chain} type="button" class="btn" onClick={() => make(chain)}>
              {texts.money.getAddress(chain)}
            </button>
          ))}
        </p>
      )}
      {BLOCKCHAINS.map((chain) => {
        const address = addressOf(chain)
        if (!address) return null
        const faucet = settings.value?.faucet
        const least = unitsOf(profile.minDeposits[chain] ?? 0)
        return (
          <div key={chain}>
            <CopyField label={texts.money.yourAddress(chain)} text={address} />
            <details class="after-small">
              <summary>{texts.money.code}</summary>
              <QrCode text={`${CHAINS[chain].uriScheme}:${address}`} label={texts.money.codeOf(chain, address)} />
            </details>
            {least > 0n && <p class="quiet small">{texts.money.minDeposit(coinsText(least, chain))}</p>}
            {faucet && (
              <p class="small">
                <a
                  href={`${faucet}?${new URLSearchParams({ blockchain: chain, address, amount: '1' })}`}
                  target="_blank"
                  rel="noreferrer"
                >
                  {texts.pay.faucet}
                </a>
              </p>
            )}
          </div>
        )
      })}
    </div>
  )
}

function Deposits({ deposits }: { deposits: readonly Schemas['Payment'][] }) {
  return (
    <table class="table">
      <tbody>
        {deposits.flatMap((deposit) =>
          deposit.transactions.map(({ txid, amount, depth, seenAt }) => (
            <tr key={txid}>
              <td class="full">
                <code>{`${txid.slice(0, 10)}…${txid.slice(-6)}`}</code>
              </td>
              <td>{momentText(seenAt)}</td>
              <td>
                {depth >= deposit.confirmations ? (
                  deposit.state === 'credited' ? (
                    <State icon="tick">{texts.money.credited}</State>
                  ) : (
                    <State kind="quiet" icon="clock">
                      {texts.money.small(coinsText(unitsOf(deposit.minDeposit ?? 0), deposit.paidIn))}
                    </State>
                  )
                ) : (
                  <Depth
                    depth={depth}
                    needed={deposit.confirmations}
                    text={texts.pay.blocks(depth, deposit.confirmations)}
                  />
                )}
              </td>
              <td class="num push">{coinsText(unitsOf(amount), deposit.paidIn)}</td>
            </tr>
          )),
        )}
      </tbody>
    </table>
  )
}

function Ledger({ entries }: { entries: readonly Schemas['LedgerEntry'][] }) {
  const { head, moves } = texts.money
  return (
    <table class="table">
      <TableHead columns={[head.when, head.what, { num: head.change }, { num: head.after }]} />
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <td class="quiet">{momentText(entry.at)}</td>
            <td class="full">
              {entry.subject ? texts.money.moveFor(moves[entry.kind], entry.subject) : moves[entry.kind]}
            </td>
            <td class="num push">{changeText(unitsOf(entry.change), entry.blockchain)}</td>
            <td class="num quiet off">{coinsText(unitsOf(entry.balance), entry.blockchain)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
