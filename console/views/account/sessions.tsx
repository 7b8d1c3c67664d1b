import { api } from '../../api/client.ts'
import { countryName } from '../../core/country-name.ts'
import { momentText } from '../../core/time-text.ts'
import { useAct } from '../../hooks/use-act.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { State } from '../../parts/notice.tsx'
import { Section } from '../../parts/page.tsx'
import { Reading } from '../../parts/reading.tsx'
import { accountTexts } from '../../texts/account.ts'

/** The sessions of the account: the device and country of each, and which one is this browser. */
export function Sessions() {
  const sessions = useLoad(() => api.GET('/v0/user/sessions'), [])
  const [act, failed] = useAct()
  const end = (jti: string) =>
    act(async () => {
      await api.DELETE('/v0/user/sessions/{jti}', { params: { path: { jti } } })
      sessions.reload()
    })
  return (
    <Section title={accountTexts.sessions}>
      {failed}
      <Reading of={sessions} what={accountTexts.sessions} rows={2} />
      <table class="table">
        <tbody>
          {(sessions.data?.sessions ?? []).map(({ jti, created, expires, current, device, country }) => {
            const begun = device ?? accountTexts.unknownDevice
            const what = country === null ? begun : accountTexts.deviceIn(begun, countryName(country))
            return (
              <tr key={jti}>
                <td class="grow">
                  {what}
                  <p class="quiet small">{accountTexts.session(momentText(created), momentText(expires))}</p>
                </td>
                <td class="num push">
                  {current ? (
                    <State icon="tick">{accountTexts.thisOne}</State>
                  ) : (
                    <button
                      type="button"
                      class="btn"
                      onClick={() => end(jti)}
                      aria-label={`${accountTexts.end} ${what}`}
                    >
                      {accountTexts.end}
                    </button>
                  )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Section>
  )
}
