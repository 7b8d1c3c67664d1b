import { LANGUAGE_NAMES, LANGUAGES, type Language } from '../../../contract/languages.ts'
import { api, type Schemas } from '../../api/client.ts'
import { useTask } from '../../hooks/use-task.ts'
import { Failed } from '../../parts/failed.tsx'
import { Segments } from '../../parts/field.tsx'
import { accountTexts } from '../../texts/account.ts'
import { setLanguage } from '../../texts/language.ts'

const OF_BROWSER = 'browser'

/** Chooses the language of the account, and shows the console in it. */
export function LanguageOfAccount(props: { profile: Schemas['Profile']; onSaved(profile: Schemas['Profile']): void }) {
  const { error, run } = useTask()
  const choose = (value: Language | typeof OF_BROWSER) =>
    void run(async () => {
      const language = value === OF_BROWSER ? null : value
      props.onSaved(await api.PUT('/v0/user', { body: { language } }))
      setLanguage(language ?? undefined)
    })
  return (
    <>
      <p class="row">
        <span>{accountTexts.language}</span>
        <Segments<Language | typeof OF_BROWSER>
          label={accountTexts.language}
          value={props.profile.language ?? OF_BROWSER}
          options={[
            { value: OF_BROWSER, label: accountTexts.browserLanguage },
            ...LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] })),
          ]}
          onValue={choose}
        />
      </p>
      {error && <Failed error={error} />}
    </>
  )
}
