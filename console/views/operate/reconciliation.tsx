import { api } from '../../api/client.ts'
import { coinsText, unitsOf } from '../../core/coins.ts'
import { momentText } from '../../core/time-text.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { State } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { Reading } from '../../parts/reading.tsx'
import { TableHead } from '../../parts/table.tsx'
import { texts } from '../../texts/index.ts'
import { operateTexts } from '../../texts/operate.ts'

/** Ledger, wallet and chain side by side, to the last unit. */
export default function Reconciliation() {
  const found = useLoad(() => api.GET('/v0/operate/reconciliation'), [])
  const { reconciliationHead: head } = operateTexts
  return (
    <Page title={operateTexts.reconciliationTitle} lead={operateTexts.reconciliationLead}>
      <Reading of={found} rows={3} />
      {found.data && (
        <table class="table">
          <TableHead
            columns={[
              operateTexts.head.chain,
              ...[head.ledger, head.wallet, head.chain, head.difference].map((num) => ({ num })),
            ]}
          />
          <tbody>
            {found.data.chains.map((row) => {
              const difference = unitsOf(row.difference)
              return (
                <tr key={row.blockchain}>
                  <td class="full">
                    <strong>{row.blockchain}</strong> <span class="quiet small">{momentText(row.readAt)}</span>
                  </td>
                  <td class="num" data-l={head.ledger}>
                    {coinsText(unitsOf(row.ledger), row.blockchain)}
                  </td>
                  <td class="num" data-l={head.wallet}>
                    {coinsText(unitsOf(row.wallet), row.blockchain)}
                  </td>
                  <td class="num" data-l={head.chain}>
                    {coinsText(unitsOf(row.chain), row.blockchain)}
                  </td>
                  <td class="num" data-l={head.difference}>
                    {difference === 0n ? (
                      <State icon="tick">{texts.common.none}</State>
                    ) : (
                      <State kind="bad">{coinsText(difference, row.blockchain)}</State>
                    )}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </Page>
  )
}
